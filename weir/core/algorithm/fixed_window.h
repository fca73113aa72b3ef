#pragma once

#include <cstdint>

#include "weir/core/algorithm/step.h"
#include "weir/core/algorithm/window.h"
#include "weir/core/quota.h"

namespace weir::fixed_window {

// `limit` units per window; each window starts empty.  Across an edge up to twice the limit passes.
//
// The state is a WindowState; a state that names another window is an empty one.  `now` is wall
// time.  All functions are pure.  Counts stop at WindowState::kMostCount.

// Spends `cost` if that stays within the limit.  0 looks and is always allowed.
Step Charge(std::uint64_t state, const Quota& quota, WallTime now, std::uint64_t cost);

// Spends `cost` in any case and says whether the limit still holds, as the reference service does;
// a cost of 0 is denied where the count is above the limit already.
Step Add(std::uint64_t state, const Quota& quota, WallTime now, std::uint64_t cost);

// Gives `cost` back to the current window, down to zero.  `charged` is when it was spent: a refund
// for another window is dropped.  WallTime{} means now.
Step Refund(std::uint64_t state, const Quota& quota, WallTime now, std::uint64_t cost,
            WallTime charged);

}  // namespace weir::fixed_window
