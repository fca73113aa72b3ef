// What FailingStore hears: answers in time and late, calls that stay silent, debts that arrive; and
// the turn of its clock.

#include <algorithm>
#include <functional>

#include "weir/base/hash.h"
#include "weir/core/algorithm/gcra.h"
#include "weir/failure/failing_store.h"
#include "weir/failure/jitter.h"
#include "weir/failure/mode.h"

namespace weir {
namespace {

// How long a cost of 1 stays denied after this denial; zero if it does not.
Duration UntilOneUnit(const Hit& hit, const Outcome& outcome) {
  const Quota& quota = *hit.quota;
  switch (quota.algorithm) {
    case Algorithm::kTokenBucket: {
      const gcra::Room room = gcra::RoomOf(quota, outcome.used);
      return room.units > 0 ? Duration{} : room.next;
    }
    case Algorithm::kFixedWindow:
      return outcome.used < quota.limit ? Duration{} : outcome.reset;
    case Algorithm::kSlidingWindow:
      break;
  }
  return outcome.used < quota.limit ? Duration{} : outcome.next;
}

bool MayBeStatic(const FailurePolicy& policy) {
  const auto is_static = [](const auto& rung) { return rung.mode == FailureMode::kStatic; };
  return policy.mode == FailureMode::kStatic ||
         std::any_of(policy.then.begin(), policy.then.end(), is_static) ||
         std::find(policy.causes.begin(), policy.causes.end(), FailureMode::kStatic) !=
             policy.causes.end();
}

}  // namespace

Instant FailingStore::Poll(const Now& now) {
  now_ = now;
  local_.BeginTurn();
  Instant next = remote_.Poll(now);
  ExpireErrands();
  JudgeLateCalls();
  TellBreakers();
  state_.timeout().Learn(now.steady);
  ProbeQuietNodes();
  next = std::min(next, HandBackRest());
  if (!due_.empty()) next = std::min(next, due_.front().at);
  if (oldest_ != nullptr) next = std::min(next, oldest_->sent + state_.timeout().value());
  for (const NodeLoop& node : nodes_) next = std::min(next, node.next_probe);
  return next;
}

void FailingStore::LegDone(Leg& leg) {
  --in_flight_;
  leg.pending = false;
  if (leg.outcomes.size() != leg.hits.size()) {
    leg.outcomes.assign(leg.hits.size(), {.cause = Cause::kProtocol, .ambiguous = true});
  }
  Cause cause = Cause::kNone;
  for (const Outcome& outcome : leg.outcomes) {
    if (cause == Cause::kNone) cause = outcome.cause;
  }
  const bool in_time = !leg.judged;
  Judge(leg, cause, false);
  if (leg.kind == Leg::Kind::kProbe) {
    if (in_time) state_.node(leg.node).breaker.ProbeEnded(cause, leg.generation, now_.steady);
  } else if (leg.kind == Leg::Kind::kHandBack) {
    HandBackDone(leg, cause);
  } else if (leg.kind == Leg::Kind::kGiveBack) {
    if (cause != Cause::kNone) counts_.give_backs_lost.Add(1);
  } else {
    if (cause == Cause::kNone) state_.timeout().Add(now_.steady - leg.sent);
    for (std::size_t i = 0; i < leg.hits.size(); ++i) Hear(leg, i);
    if (leg.errand != nullptr) {
      if (--leg.errand->waiting == 0) Finish(*leg.errand);
      return;  // The errand lets go of it.
    }
    counts_.late_answers.Add(1);
    if (leg.give_back) SendGiveBack(leg);
  }
  Release(leg);
}

// Counts a call once, however many checks it carried, and whoever still waits.
void FailingStore::Judge(Leg& leg, Cause cause, bool late) {
  if (leg.judged) return;
  leg.judged = true;
  Unlink(leg);
  if (leg.call != 0) {
    std::uint64_t& seen = judged_calls_[leg.call % judged_calls_.size()];
    if (seen == leg.call) return;
    seen = leg.call;
  }
  if (late) counts_.late_calls.Add(1);
  if (leg.kind == Leg::Kind::kProbe) return;
  NodeLoop& loop = LoopOf(leg.node);
  if (loop.generation != leg.generation) {
    loop.calls = {};
    loop.generation = leg.generation;
  }
  if (late) {
    ++loop.calls.late;
    loop.calls.cause = Cause::kTimeout;
  } else if (cause == Cause::kNone) {
    ++loop.calls.ok;
  } else if (CountsAgainstNode(cause)) {
    ++loop.calls.failed;
    loop.calls.cause = cause;
  }
}

void FailingStore::Hear(Leg& leg, std::size_t hit_number) {
  Outcome& outcome = leg.outcomes[hit_number];
  outcome.node = leg.node;
  if (outcome.cause != Cause::kNone) return;
  const Hit& hit = leg.hits[hit_number];
  NodeState& node = state_.node(leg.node);
  node.Heard(outcome.at, now_);
  Rehearse(hit, outcome, leg.node);
  const Moment moment = state_.MomentOf(leg.node, now_);
  state_.mirror().Set(hit, outcome, moment, DropAfter(state_.timeout().value()));

  const FailurePolicy& policy = state_.PolicyOf(*hit.rule);
  if (MayBeStatic(policy)) state_.caught().Note(hit, outcome, now_.steady);
  const WallTime at = outcome.at == WallTime{} ? moment.store : outcome.at;
  if (policy.split == ShareSplit::kLearned && !hit.refund) {
    state_.learned().Note(hit.id, hit.quota->window, outcome.allowed ? hit.cost : 0, outcome.fleet,
                          at, now_.steady);
  }
  HeldDenials* const held = state_.options().held;
  if (held == nullptr) return;
  if (hit.refund) {
    held->Forget(hit.id);
  } else if (!outcome.allowed) {
    // It was true when the store counted; hearing of it may have taken a while.
    const Duration left =
        UntilOneUnit(hit, outcome) - std::max<Duration>(Duration{}, moment.store - at);
    if (left > Duration{}) held->Hold(hit.id, now_.steady + left, now_.steady);
  }
}

void FailingStore::NoteHeld(const Hit& hit, Outcome& outcome, NodeId node) {
  Rehearse(hit, outcome, node);
  if (MayBeStatic(state_.PolicyOf(*hit.rule))) state_.caught().Note(hit, outcome, now_.steady);
}

void FailingStore::Rehearse(const Hit& hit, Outcome& outcome, NodeId node) {
  if (!state_.rehearsal().Samples(hit)) return;
  const FailurePolicy& policy = state_.PolicyOf(*hit.rule);
  CaughtKeys::Hold caught;
  if (policy.mode == FailureMode::kStatic) caught = state_.caught().Now(hit, now_.steady);
  outcome.rehearsed = state_.rehearsal().Answer(
      hit, outcome, policy.mode, local_.PortionOf(hit, node), caught, state_.MomentOf(node, now_));
}

void FailingStore::HandBackDone(Leg& leg, Cause cause) {
  if (cause == Cause::kNone) {
    counts_.hand_backs.Add(1);
  } else if (leg.outcomes[0].ambiguous) {
    counts_.hand_backs_lost.Add(1);
  } else {
    state_.mirror().OweAgain(leg.owed.id, leg.owed.quota, leg.owed.share, leg.hits[0].cost,
                             state_.MomentOf(leg.node, now_));
    state_.ledger().PutBack(std::move(leg.owed));
  }
}

void FailingStore::ExpireErrands() {
  while (!due_.empty() && due_.front().at <= now_.steady) {
    const Due due = due_.front();
    std::pop_heap(due_.begin(), due_.end(), std::greater<>());
    due_.pop_back();
    if (due.errand->ticket == due.ticket) Finish(*due.errand);
  }
}

void FailingStore::JudgeLateCalls() {
  const Duration timeout = state_.timeout().value();
  while (oldest_ != nullptr && IsLate(oldest_->sent, timeout, now_.steady)) {
    Leg& leg = *oldest_;
    Judge(leg, Cause::kTimeout, true);
    if (leg.kind != Leg::Kind::kProbe) continue;
    state_.node(leg.node).breaker.ProbeEnded(Cause::kTimeout, leg.generation, now_.steady);
  }
}

void FailingStore::TellBreakers() {
  const Duration timeout = state_.timeout().value();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    NodeLoop& loop = nodes_[i];
    Breaker& breaker = state_.node(static_cast<NodeId>(i)).breaker;
    if (!loop.calls.empty()) {
      breaker.Add(loop.calls, loop.generation, timeout, now_.steady);
      loop.calls = {};
    }
    if (breaker.Read().open) state_.timeout().Spoil();
  }
}

void FailingStore::Probe(NodeId node, std::uint64_t id, std::string_view key) {
  if (!state_.node(node).breaker.WinProbe(state_.timeout().value(), now_.steady)) return;
  NodeLoop& loop = LoopOf(node);
  loop.probe_id = id;
  if (loop.probe_key.data() != key.data()) loop.probe_key.assign(key);
  Leg& leg = NewLeg(Leg::Kind::kProbe, node);
  Hit& hit = leg.hits.emplace_back();
  hit.id = id;
  hit.key = leg.arena.Copy(key);
  hit.cost = 0;
  hit.purpose = Purpose::kProbe;
  counts_.probes.Add(1);
  Enqueue(leg);
}

// A node that nobody asks about heals too.
void FailingStore::ProbeQuietNodes() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    NodeLoop& loop = nodes_[i];
    loop.next_probe = kNever;
    if (loop.probe_id == 0) continue;
    const auto node = static_cast<NodeId>(i);
    if (const Breaker::View view = state_.node(node).breaker.Read(); view.open) {
      if (now_.steady >= view.next_probe) Probe(node, loop.probe_id, loop.probe_key);
      loop.next_probe = state_.node(node).breaker.Read().next_probe;
    }
  }
  SendBatch();
}

Instant FailingStore::HandBackRest() {
  constexpr Duration kIdlePause = std::chrono::milliseconds(100);
  Ledger& ledger = state_.ledger();
  if (ledger.empty()) return kNever;
  if (now_.steady < next_hand_back_) return next_hand_back_;
  bool sent = false;
  for (std::size_t i = 0; i < FailureState::kNodes; ++i) {
    const auto node = static_cast<NodeId>(i);
    if (ledger.OwedTo(node) == 0 || state_.node(node).breaker.Read().open) continue;
    owed_.clear();
    ledger.TakeSome(kHandBackBatch, node, owed_);
    for (Ledger::Owed& owed : owed_) HandBack(std::move(owed));
    sent = true;
  }
  SendBatch();
  if (!sent) ledger.Sweep(now_.steady);
  const Duration pause = sent ? kHandBackPause : kIdlePause;
  next_hand_back_ = now_.steady + pause + JitterOf(MixHash(seed_, ++draws_), pause);
  return next_hand_back_;
}

}  // namespace weir
