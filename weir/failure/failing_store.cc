#include "weir/failure/failing_store.h"

#include <algorithm>
#include <cassert>

#include "weir/base/hash.h"

namespace weir {
namespace {

constexpr std::size_t kJudgedCalls = 8192;  // Above the calls of any turn and flight.

bool Enforces(const Hit& hit) {
  return hit.not_enforced == NotEnforced::kNo;
}

}  // namespace

void Leg::Done() {
  owner_.LegDone(*this);
}

void Leg::Reset() {
  Clear();
  kind = Kind::kHits;
  errand = nullptr;
  judged = false;
  give_back = false;
  places.clear();
  owed = {};
  earlier = later = nullptr;
}

Hit& Leg::AddHit(const Hit& hit) {
  assert(overrides.capacity() > overrides.size() && hits.capacity() > hits.size());
  Hit& mine = hits.emplace_back(hit);
  mine.key = arena.Copy(hit.key);
  if (hit.quota != &hit.rule->quota) mine.quota = &overrides.emplace_back(*hit.quota);
  return mine;
}

FailingStore::FailingStore(FailureState& state, Store& remote, std::uint32_t number)
    : state_(state),
      remote_(remote),
      local_(state, MixHash(state.options().seed, 0x10ca1ULL + number)),
      seed_(MixHash(state.options().seed, 0xfa11ULL + number)),
      now_(state.options().now),
      judged_calls_(kJudgedCalls) {}

FailingStore::~FailingStore() = default;

// Every hit has a count by now, or a reason why it has none, or its time is up.
void FailingStore::Finish(Errand& errand) {
  Check& check = *errand.outer;
  TakeUnanswered(errand);
  if (check.charging == Charging::kEach) {
    ChargeEach(errand);
  } else if (!LegsAgree(errand) || !ChargeLocals(errand)) {
    LookAtLocals(errand);
    GiveBack(errand);
  }
  for (Leg* leg : errand.legs) {
    if (leg->pending) {
      leg->errand = nullptr;
      leg->pin = check.pin;
    } else {
      Release(*leg);
    }
  }
  const bool tell = !errand.inside;
  Release(errand);
  check.pending = false;
  if (tell) check.Done();
}

void FailingStore::TakeUnanswered(Errand& errand) {
  Check& check = *errand.outer;
  for (Leg* leg : errand.legs) {
    for (std::size_t i = 0; i < leg->hits.size(); ++i) {
      const std::uint32_t place = leg->places[i];
      NoCount why{.cause = Cause::kTimeout, .ambiguous = true};
      if (!leg->pending) {
        const Outcome& outcome = leg->outcomes[i];
        if (outcome.cause == Cause::kNone) {
          check.outcomes[place] = outcome;
          continue;
        }
        why = {.cause = outcome.cause, .ambiguous = outcome.ambiguous};
      }
      why.asked = errand.asked;
      const Hit& hit = check.hits[place];
      if (why.ambiguous && IsCharge(hit)) counts_.ambiguous.Add(1);
      errand.locals.push_back({.hit = place, .plan = local_.Plan(hit, leg->node, why, now_)});
    }
  }
}

bool FailingStore::LegsAgree(const Errand& errand) const {
  const Check& check = *errand.outer;
  for (std::size_t i = 0; i < check.hits.size(); ++i) {
    if (!Enforces(check.hits[i]) || check.outcomes[i].allowed) continue;
    return false;
  }
  return true;
}

// All or none.  What is charged here waits until the nodes have agreed, so that there is nothing to
// take back from a mirror that other loops see.
bool FailingStore::ChargeLocals(Errand& errand) {
  Check& check = *errand.outer;
  for (const Errand::Local& local : errand.locals) {
    const Hit& hit = check.hits[local.hit];
    if (Enforces(hit) && !local_.Look(hit, local.plan, now_).allowed) return false;
  }
  for (const bool enforcing : {true, false}) {
    for (Errand::Local& local : errand.locals) {
      const Hit& hit = check.hits[local.hit];
      if (Enforces(hit) != enforcing) continue;
      bool refund_lost = false;
      Outcome& outcome = check.outcomes[local.hit];
      outcome = local_.Charge(hit, local.plan, now_, &refund_lost);
      if (refund_lost) counts_.refunds_lost.Add(1);
      local.charged = outcome.allowed;
      if (outcome.allowed || !enforcing) continue;
      for (Errand::Local& before : errand.locals) {
        if (before.charged) local_.Undo(check.hits[before.hit], before.plan, now_);
      }
      return false;
    }
  }
  for (const Errand::Local& local : errand.locals) {
    if (!local.charged) continue;
    local_.Owe(check.hits[local.hit], local.plan, check.outcomes[local.hit], now_);
  }
  return true;
}

void FailingStore::LookAtLocals(Errand& errand) {
  Check& check = *errand.outer;
  for (const Errand::Local& local : errand.locals) {
    check.outcomes[local.hit] = local_.Look(check.hits[local.hit], local.plan, now_);
  }
}

void FailingStore::ChargeEach(Errand& errand) {
  Check& check = *errand.outer;
  for (const Errand::Local& local : errand.locals) {
    const Hit& hit = check.hits[local.hit];
    bool refund_lost = false;
    Outcome& outcome = check.outcomes[local.hit];
    outcome = local_.Charge(hit, local.plan, now_, &refund_lost);
    if (refund_lost) counts_.refunds_lost.Add(1);
    if (outcome.allowed) local_.Owe(hit, local.plan, outcome, now_);
  }
}

// The check is denied: nothing of it may stay spent.
void FailingStore::GiveBack(Errand& errand) {
  for (Leg* leg : errand.legs) {
    if (leg->pending) {
      leg->give_back = true;
    } else {
      leg->pin = errand.outer->pin;
      SendGiveBack(*leg);
    }
  }
}

// A leg that was denied has spent nothing.
void FailingStore::SendGiveBack(const Leg& spent) {
  for (std::size_t i = 0; i < spent.hits.size(); ++i) {
    if (Enforces(spent.hits[i]) && !spent.outcomes[i].allowed) return;
  }
  Leg& leg = NewLeg(Leg::Kind::kGiveBack, spent.node);
  leg.pin = spent.pin;
  leg.hits.reserve(spent.hits.size());
  leg.overrides.reserve(spent.hits.size());
  for (std::size_t i = 0; i < spent.hits.size(); ++i) {
    const Outcome& outcome = spent.outcomes[i];
    if (!IsCharge(spent.hits[i]) || !outcome.allowed || outcome.cause != Cause::kNone) continue;
    Hit& back = leg.AddHit(spent.hits[i]);
    back.refund = true;
    back.charged = outcome.at;
    counts_.give_backs.Add(1);
  }
  if (leg.hits.empty()) {
    Release(leg);
  } else {
    SendNow(leg);
  }
}

Errand& FailingStore::NewErrand() {
  if (idle_errands_.empty()) {
    errands_.push_back(std::make_unique<Errand>());
    idle_errands_.push_back(errands_.back().get());
  }
  Errand& errand = *idle_errands_.back();
  idle_errands_.pop_back();
  errand.ticket = ++tickets_;
  return errand;
}

void FailingStore::Release(Errand& errand) {
  errand.outer = nullptr;
  errand.ticket = 0;
  errand.waiting = 0;
  errand.legs.clear();
  errand.locals.clear();
  idle_errands_.push_back(&errand);
}

Leg& FailingStore::NewLeg(Leg::Kind kind, NodeId node) {
  if (idle_legs_.empty()) {
    legs_.push_back(std::make_unique<Leg>(*this));
    idle_legs_.push_back(legs_.back().get());
  }
  Leg& leg = *idle_legs_.back();
  idle_legs_.pop_back();
  leg.kind = kind;
  leg.node = node;
  return leg;
}

void FailingStore::Release(Leg& leg) {
  leg.Reset();
  idle_legs_.push_back(&leg);
}

void FailingStore::Sent(Leg& leg) {
  leg.sent = now_.steady;
  leg.generation = state_.node(leg.node).breaker.Read().generation;
  leg.earlier = newest_;
  leg.later = nullptr;
  (newest_ != nullptr ? newest_->later : oldest_) = &leg;
  newest_ = &leg;
  ++in_flight_;
  if (leg.kind == Leg::Kind::kHits) counts_.calls.Add(1);
}

void FailingStore::Unlink(Leg& leg) {
  (leg.earlier != nullptr ? leg.earlier->later : oldest_) = leg.later;
  (leg.later != nullptr ? leg.later->earlier : newest_) = leg.earlier;
  leg.earlier = leg.later = nullptr;
}

FailingStore::NodeLoop& FailingStore::LoopOf(NodeId node) {
  const std::size_t at = node % FailureState::kNodes;
  if (nodes_.size() <= at) nodes_.resize(at + 1);
  return nodes_[at];
}

}  // namespace weir
