// How FailingStore begins a check: which of its hits are asked of which node, and which are
// answered here at once.

#include <algorithm>

#include "weir/failure/failing_store.h"

namespace weir {

std::size_t FailingStore::Commit(std::span<Check* const> checks, const Now& now) {
  now_ = now;
  local_.BeginTurn();
  begun_.clear();
  for (Check* check : checks) Begin(*check);
  SendBatch();
  std::size_t pending = 0;
  for (Errand* errand : begun_) {
    if (errand->outer == nullptr) continue;  // Finished by answers that came at once.
    errand->inside = false;
    errand->outer->pending = true;
    due_.push_back({errand->deadline, errand, errand->ticket});
    std::push_heap(due_.begin(), due_.end(), std::greater<>());
    ++pending;
  }
  return pending;
}

void FailingStore::Begin(Check& check) {
  check.pending = false;
  check.outcomes.assign(check.hits.size(), Outcome{});
  if (check.hits.empty() || AnswerHeld(check)) return;
  Errand& errand = NewErrand();
  errand.outer = &check;
  errand.inside = true;
  errand.asked = now_.steady;
  errand.deadline = DeadlineOf(now_.steady, state_.timeout().value(), check.deadline);
  Sort(errand);
  if (!asks_.empty() && DeniedHere(errand)) {
    // Denied whatever the nodes say: they are not asked, so that nothing is spent there.
    for (const Ask& ask : asks_) {
      check.outcomes[ask.hit] = LookAside(check.hits[ask.hit], ask.node);
    }
    asks_.clear();
  }
  if (asks_.empty()) {
    Finish(errand);
    return;
  }
  AskNodes(errand);
  begun_.push_back(&errand);
}

// A remembered denial decides a check by itself, in health too: the store need not be asked.  Where
// the node's breaker is open the mode decides whether memory counts.
bool FailingStore::AnswerHeld(Check& check) {
  if (state_.options().held == nullptr || check.charging == Charging::kEach) return false;
  bool denied = false;
  for (std::size_t i = 0; i < check.hits.size(); ++i) {
    const Hit& hit = check.hits[i];
    if (hit.not_enforced != NotEnforced::kNo) break;
    const Duration left = local_.HeldFor(hit, now_.steady);
    if (left <= Duration{}) continue;
    const Switches* const switches = state_.options().switches;
    if (switches != nullptr &&
        (switches->Bypassed(*hit.rule) || switches->Drilled(*hit.rule) != Cause::kNone)) {
      continue;
    }
    const NodeId node = remote_.NodeOf(hit);
    if (state_.node(node).breaker.Read().open) continue;
    check.outcomes[i] = local_.Held(hit, node, left, now_);
    NoteHeld(hit, check.outcomes[i], node);
    denied = true;
  }
  if (!denied) return false;
  for (std::size_t i = 0; i < check.hits.size(); ++i) {
    if (check.outcomes[i].basis == Basis::kHeld) continue;
    check.outcomes[i] = LookAside(check.hits[i], remote_.NodeOf(check.hits[i]));
  }
  return true;
}

void FailingStore::Sort(Errand& errand) {
  asks_.clear();
  for (std::uint32_t i = 0; i < errand.outer->hits.size(); ++i) SortHit(errand, i);
}

void FailingStore::SortHit(Errand& errand, std::uint32_t place) {
  Check& check = *errand.outer;
  const Hit& hit = check.hits[place];
  const NodeId node = remote_.NodeOf(hit);
  const Switches* const switches = state_.options().switches;
  if (switches != nullptr && switches->Bypassed(*hit.rule)) {
    check.outcomes[place] = {.basis = Basis::kBypass, .node = node};
    return;
  }
  const NoCount why = WhyNot(hit, node, errand.deadline);
  if (why.cause != Cause::kNone) {
    errand.locals.push_back({.hit = place, .plan = local_.Plan(hit, node, why, now_)});
    return;
  }
  if (check.charging == Charging::kEach) {
    if (const Duration left = local_.HeldFor(hit, now_.steady); left > Duration{}) {
      check.outcomes[place] = local_.Held(hit, node, left, now_);
      NoteHeld(hit, check.outcomes[place], node);
      return;
    }
  }
  asks_.push_back({.hit = place, .node = node});
}

NoCount FailingStore::WhyNot(const Hit& hit, NodeId node, Instant deadline) {
  const Switches* const switches = state_.options().switches;
  if (switches != nullptr) {
    if (const Cause drilled = switches->Drilled(*hit.rule); drilled != Cause::kNone) {
      return {.cause = drilled, .drilled = true};
    }
  }
  const Breaker::View view = state_.node(node).breaker.Read();
  if (view.open) {
    NodeLoop& loop = LoopOf(node);
    if (loop.probe_id == 0) {
      loop.probe_id = hit.id;
      loop.probe_key.assign(hit.key);
    }
    if (now_.steady >= view.next_probe) Probe(node, hit.id, hit.key);
    return {.cause = view.cause == Cause::kNone ? Cause::kBreakerOpen : view.cause,
            .breaker_open = true,
            .next_probe = view.next_probe};
  }
  if (in_flight_ >= state_.options().in_flight) return {.cause = Cause::kQueueFull};
  if (deadline <= now_.steady) return {.cause = Cause::kTimeout};
  return {};
}

// Whether an answer given here denies the check as over a limit.  One that fails closed does not:
// a node may still find the caller over a limit, which goes before.
bool FailingStore::DeniedHere(const Errand& errand) {
  const Check& check = *errand.outer;
  if (check.charging == Charging::kEach) return false;
  for (const Errand::Local& local : errand.locals) {
    const Hit& hit = check.hits[local.hit];
    if (hit.not_enforced != NotEnforced::kNo) continue;
    const Outcome outcome = local_.Look(hit, local.plan, now_);
    if (!outcome.allowed && outcome.basis != Basis::kClosed) return true;
  }
  return false;
}

// What the mirror knows of a rule that the check does not come to.
Outcome FailingStore::LookAside(const Hit& hit, NodeId node) {
  Hit look = hit;
  look.cost = 0;
  Outcome outcome =
      state_.mirror().Charge(look, {}, state_.MomentOf(node, now_), LocalCharge::kLook, false);
  outcome.node = node;
  return outcome;
}

void FailingStore::AskNodes(Errand& errand) {
  const Check& check = *errand.outer;
  if (!state_.ledger().empty()) {
    for (const Ask& ask : asks_) HandBackAhead(check.hits[ask.hit]);
  }
  for (const Ask& ask : asks_) {
    Leg* leg = nullptr;
    for (Leg* have : errand.legs) {
      if (have->node == ask.node) leg = have;
    }
    if (leg == nullptr) {
      leg = &NewLeg(Leg::Kind::kHits, ask.node);
      leg->errand = &errand;
      leg->charging = check.charging;
      leg->standstill = check.standstill;
      leg->deadline = errand.deadline;
      leg->hits.reserve(asks_.size());
      leg->overrides.reserve(asks_.size());
      errand.legs.push_back(leg);
    }
    leg->AddHit(check.hits[ask.hit]);
    leg->places.push_back(ask.hit);
  }
  errand.waiting = errand.legs.size();
  for (Leg* leg : errand.legs) Enqueue(*leg);
}

void FailingStore::HandBackAhead(const Hit& hit) {
  if (auto owed = state_.ledger().Take(hit.id)) HandBack(std::move(*owed));
}

// What the key owes is taken from the mirror only now, when it is about to travel.
void FailingStore::HandBack(Ledger::Owed owed) {
  const Moment moment = state_.MomentOf(owed.node, now_);
  const std::uint64_t amount = state_.mirror().TakeOwed(owed.id, owed.quota, owed.share, moment);
  if (amount == 0) return;
  Leg& leg = NewLeg(Leg::Kind::kHandBack, owed.node);
  leg.owed = std::move(owed);
  Hit& hit = leg.hits.emplace_back();
  hit.rule = leg.owed.rule.get();
  hit.quota = &leg.owed.quota;
  hit.id = leg.owed.id;
  hit.key = leg.owed.key;
  hit.cost = amount;
  hit.charged = moment.store;
  hit.purpose = Purpose::kHandBack;
  hit.capped = leg.owed.capped;
  Enqueue(leg);
}

void FailingStore::Enqueue(Leg& leg) {
  Sent(leg);
  batch_.push_back(&leg);
}

void FailingStore::SendBatch() {
  if (batch_.empty()) return;
  sending_.clear();
  sending_.swap(batch_);
  remote_.Commit(sending_, now_);
  for (Check* check : sending_) {
    auto& leg = static_cast<Leg&>(*check);
    if (!leg.pending) LegDone(leg);
  }
}

void FailingStore::SendNow(Leg& leg) {
  Sent(leg);
  Check* const one[] = {&leg};
  remote_.Commit(one, now_);
  if (!leg.pending) LegDone(leg);
}

}  // namespace weir
