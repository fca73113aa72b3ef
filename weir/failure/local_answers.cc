#include "weir/failure/local_answers.h"

#include <algorithm>

#include "weir/base/hash.h"
#include "weir/failure/mode.h"

namespace weir {
namespace {

// Drills keep their own ladder.
constexpr std::uint64_t kDrillSalt = 0xd1117;

Outcome Denied(const Hit& hit, Duration retry) {
  const Quota& quota = *hit.quota;
  return {.allowed = false,
          .used = quota.algorithm == Algorithm::kTokenBucket
                      ? static_cast<std::uint64_t>(quota.tolerance)
                      : quota.limit,
          .retry = retry,
          .reset = retry,
          .next = retry};
}

}  // namespace

LocalAnswers::LocalAnswers(FailureState& state, std::uint64_t seed)
    : state_(state), fleet_(state.fleet()), seed_(seed) {}

Portion LocalAnswers::PortionOf(const Hit& hit, NodeId node) const {
  const FailurePolicy& policy = state_.PolicyOf(*hit.rule);
  const FleetView& fleet = *fleet_.value();
  Portion portion{.strict = policy.strict_share};
  if (policy.split == ShareSplit::kLearned) {
    const WallTime contact{
        Duration(state_.node(node).last_contact.load(std::memory_order_relaxed))};
    portion.share =
        state_.learned().Of(hit.id, hit.quota->window, policy.learned_weight, fleet.count, contact);
  } else if (hit.quota->algorithm == Algorithm::kTokenBucket) {
    portion.share = {.part = 1, .whole = fleet.count};
  } else {
    portion.share = EvenShare(fleet, Hash64(hit.key.empty() ? hit.rule->id : hit.key, 0));
  }
  return portion;
}

LocalPlan LocalAnswers::Plan(const Hit& hit, NodeId node, const NoCount& why, const Now& now) {
  NodeState& known = state_.node(node);
  const FailurePolicy& policy = state_.PolicyOf(*hit.rule);
  const std::uint64_t rule = why.drilled ? hit.rule->id_hash ^ kDrillSalt : hit.rule->id_hash;
  const Instant closed_since = why.drilled ? kNever : known.breaker.ClosedSince();
  // The outage did not begin when the first call was given up, but when it was made.
  const Instant asked = why.asked == Instant{} ? now.steady : why.asked;
  const Instant began = state_.timers().Since(node, rule, closed_since, asked);
  const Duration outage = now.steady - began;
  const bool cold = known.Healthy(now.steady) < LookBack(hit.quota->window);

  LocalPlan plan{.mode = ModeOf(policy, why.cause, why.breaker_open, outage, cold),
                 .cause = why.cause,
                 .node = node,
                 .ambiguous = why.ambiguous,
                 .portion = PortionOf(hit, node)};
  plan.basis = BasisOf(plan.mode);
  if (plan.mode == FailureMode::kOpen) {
    plan.how = LocalCharge::kCount;
    return plan;
  }
  if (const Duration left = HeldFor(hit, now.steady); left > Duration{}) {
    plan.basis = Basis::kHeld;
    plan.denied = true;
    plan.retry = left;
  } else if (plan.mode == FailureMode::kClosed || plan.mode == FailureMode::kError) {
    plan.denied = true;
    const Duration probe = why.breaker_open ? why.next_probe - now.steady : Duration{};
    plan.retry = RetryAfterClosed(probe, outage, MixHash(seed_, ++draws_));
  } else if (plan.mode == FailureMode::kStatic) {
    PlanStatic(hit, began, now, plan);
  }
  if (hit.refund) plan.denied = false;
  return plan;
}

void LocalAnswers::PlanStatic(const Hit& hit, Instant outage, const Now& now, LocalPlan& plan) {
  const CaughtKeys::Hold hold = state_.caught().Of(hit, outage, now.steady);
  if (!hold.caught) {
    plan.how = LocalCharge::kCount;
    return;
  }
  plan.portion.share = hold.share;
  plan.denied = hold.denied_until > now.steady && IsCharge(hit);
  plan.retry = hold.denied_until - now.steady;
}

Outcome LocalAnswers::Look(const Hit& hit, const LocalPlan& plan, const Now& now) {
  const bool verdict = plan.how == LocalCharge::kVerdict && !plan.denied;
  Hit look = hit;
  if (!verdict || hit.refund) look.cost = 0;
  Outcome outcome = state_.mirror().Charge(look, plan.portion, state_.MomentOf(plan.node, now),
                                           LocalCharge::kLook, false);
  if (plan.denied) {
    const std::uint64_t used = outcome.used;
    outcome = Denied(hit, plan.retry);
    if (plan.basis != Basis::kHeld) outcome.used = used;
  }
  outcome.basis = plan.basis;
  outcome.cause = plan.cause;
  outcome.node = plan.node;
  outcome.ambiguous = plan.ambiguous;
  return outcome;
}

Outcome LocalAnswers::Charge(const Hit& hit, const LocalPlan& plan, const Now& now,
                             bool* refund_lost) {
  const Moment moment = state_.MomentOf(plan.node, now);
  if (hit.refund) {
    if (!state_.mirror().Refund(hit, plan.portion, moment)) *refund_lost = true;
    return Look(hit, plan, now);
  }
  if (plan.denied || hit.cost == 0) return Look(hit, plan, now);
  Outcome outcome = state_.mirror().Charge(hit, plan.portion, moment, plan.how, plan.ambiguous);
  outcome.basis = plan.basis;
  outcome.cause = plan.cause;
  outcome.node = plan.node;
  outcome.ambiguous = plan.ambiguous;
  return outcome;
}

void LocalAnswers::Undo(const Hit& hit, const LocalPlan& plan, const Now& now) {
  if (!IsCharge(hit)) return;
  state_.mirror().Undo(hit, plan.portion, state_.MomentOf(plan.node, now), plan.ambiguous);
}

void LocalAnswers::Owe(const Hit& hit, const LocalPlan& plan, const Outcome& charged,
                       const Now& now) {
  if (plan.ambiguous || !IsCharge(hit) || !state_.options().hand_back) return;
  state_.ledger().Add(hit, plan.node, plan.portion.share, plan.how == LocalCharge::kCount,
                      now.steady + charged.reset, now.steady);
}

Outcome LocalAnswers::Held(const Hit& hit, NodeId node, Duration left, const Now&) {
  Outcome outcome = Denied(hit, left);
  outcome.basis = Basis::kHeld;
  outcome.node = node;
  return outcome;
}

Duration LocalAnswers::HeldFor(const Hit& hit, Instant now) const {
  const HeldDenials* const held = state_.options().held;
  if (held == nullptr || !IsCharge(hit)) return {};
  return held->Left(hit.id, now);
}

}  // namespace weir
