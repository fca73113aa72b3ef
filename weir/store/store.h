#pragma once

#include <cstddef>
#include <span>

#include "weir/base/clock.h"
#include "weir/core/check.h"

namespace weir {

// Where counts live.  What every implementation promises is written as one suite of tests,
// store/store_contract.h.
//
// - Hits of one check, and checks of one batch, count in the order given; equal keys are never
//   merged.
// - Charging::kAllOrNothing: if an enforcing hit of the check is denied, nothing of the check is
//   spent, and its not-enforced hits are not counted.  Otherwise each not-enforced hit is charged
//   by a verdict of its own.  A check whose soft hits are all denied is denied too, and spends
//   nothing.
// - A refund is given whatever the verdict of its check, and whether or not its rule is enforced.
// - Charging::kEach: every hit is added, whatever the verdicts, unless the check says Standstill.
//   Then all hits are looked at before any is added, and those that are not added say so.
// - A hit that the store cannot count has an Outcome with a cause, never a guess.
//
// Thread-safety is each implementation's to state.
class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  // Charges a batch.  Checks that are complete on return have their outcomes and do not get Done();
  // the others are left `pending` and get it exactly once, later, on this thread.  Returns how many
  // are pending.
  virtual std::size_t Commit(std::span<Check* const> checks, const Now& now) = 0;

  // Expires, flushes, sweeps.  Call it once a turn; returns when to come back at the latest.
  virtual Instant Poll(const Now& now) = 0;

  // Which node would answer for this hit.
  virtual NodeId NodeOf(const Hit& hit) const = 0;
};

}  // namespace weir
