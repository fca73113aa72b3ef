#pragma once

#include <cstdint>

#include "weir/core/algorithm/step.h"
#include "weir/core/quota.h"
#include "weir/core/share.h"

namespace weir::gcra {

// A token bucket that enforces a share of its quota.  The share scales what a unit costs and never
// the quota or the state, so a state stays what it is when the share changes, and is comparable
// with the shared store's: equal times until full are equal levels.
//
//   price = cost x interval x whole / part, rounded up
//
// The local burst is burst x share, at least 1; a cost above it needs a full bucket and leaves a
// debt.  A share of zero lets nothing pass but peeks.  States and `now` as in gcra.h, except that a
// debt may exceed the quota's tolerance.  Pure.

// Ticks that `cost` takes; at most kMostTicks.
inline constexpr std::int64_t kMostTicks = std::int64_t{1} << 61U;
std::int64_t PriceOf(const Quota& quota, std::uint64_t cost, const Share& share);

// Spends `cost` if the share has room.  Step::used is the debt in ticks.
Step ChargeScaled(std::uint64_t state, const Quota& quota, std::int64_t now, std::uint64_t cost,
                  const Share& share);

// Spends `cost` whatever there is, down to an empty bucket: for modes that give no verdict.
Step AddScaled(std::uint64_t state, const Quota& quota, std::int64_t now, std::uint64_t cost,
               const Share& share);

// Whole units that the share grants at once.
std::uint64_t RemainingScaled(const Quota& quota, std::int64_t debt, const Share& share);

}  // namespace weir::gcra
