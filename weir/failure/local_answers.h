#pragma once

#include <cstdint>

#include "weir/base/snapshot.h"
#include "weir/core/check.h"
#include "weir/failure/failure_state.h"

namespace weir {

// How a hit without a count is answered here: its rule's mode, worked out.
struct LocalPlan {
  FailureMode mode = FailureMode::kOpen;
  Basis basis = Basis::kOpen;
  Cause cause = Cause::kNone;
  NodeId node = 0;
  bool ambiguous = false;  // The store may have counted it too.
  LocalCharge how = LocalCharge::kVerdict;
  Portion portion{};
  bool denied = false;  // Whatever the level.
  Duration retry{};     // If so.
};

// Why a hit has no count.
struct NoCount {
  Cause cause = Cause::kNone;  // While the breaker is open: why it opened.
  bool breaker_open = false;
  bool ambiguous = false;
  bool drilled = false;
  Instant next_probe{};  // If the breaker is open.
  Instant asked{};       // When the hit was asked for; Instant{}: now.
};

// The modes, at work.  One for each loop; not thread-safe, what it uses of FailureState is.
class LocalAnswers {
 public:
  LocalAnswers(FailureState& state, std::uint64_t seed);

  // Adopts a new count of the fleet.  Call it once a turn.
  void BeginTurn() { fleet_.Refresh(); }

  // This instance's part of a rule's limit for a key.
  Portion PortionOf(const Hit& hit, NodeId node) const;

  LocalPlan Plan(const Hit& hit, NodeId node, const NoCount& why, const Now& now);

  // The verdict if the hit came alone; spends nothing.
  Outcome Look(const Hit& hit, const LocalPlan& plan, const Now& now);
  // Spends it, if the plan and the level allow; a refund is netted.  `*refund_lost`: it was not, or
  // not wholly.
  Outcome Charge(const Hit& hit, const LocalPlan& plan, const Now& now, bool* refund_lost);
  void Undo(const Hit& hit, const LocalPlan& plan, const Now& now);
  // The charge stands: the store is owed it, unless it is ambiguous.
  void Owe(const Hit& hit, const LocalPlan& plan, const Outcome& charged, const Now& now);

  // A remembered denial's answer.
  Outcome Held(const Hit& hit, NodeId node, Duration left, const Now& now);
  // How long the hit is denied by memory alone; zero if it is not, or is no charge.
  Duration HeldFor(const Hit& hit, Instant now) const;

 private:
  void PlanStatic(const Hit& hit, Instant outage, const Now& now, LocalPlan& plan);

  FailureState& state_;
  Snapshot<FleetView>::Reader fleet_;
  const std::uint64_t seed_;
  std::uint64_t draws_ = 0;
};

// Whether the hit is charged and can deny: neither a refund nor a peek.
inline bool IsCharge(const Hit& hit) {
  return !hit.refund && hit.cost != 0;
}

}  // namespace weir
