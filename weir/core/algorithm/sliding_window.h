#pragma once

#include <cstdint>

#include "weir/core/algorithm/step.h"
#include "weir/core/algorithm/window.h"
#include "weir/core/quota.h"

namespace weir::sliding_window {

// `limit` units in any stretch of one window's length, estimated from two fixed windows: the count
// of the current one plus the previous one's, weighted by the part of it that still overlaps.
// Takes the previous window as uniform; a burst at its end is under-weighted, one at its start
// over-weighted.
//
// The two states are WindowStates, `previous` of the window that ended when the current one
// started; states that name other windows are empty.  Only `current` ever changes, so Step::state
// is the new `current`.  `now` is wall time.  All functions are pure; products are 128 bits wide.

// Spends `cost` if the estimate stays within the limit.  0 looks and is always allowed.  Waits are
// exact to the nanosecond, given no other traffic.
Step Charge(std::uint64_t previous, std::uint64_t current, const Quota& quota, WallTime now,
            std::uint64_t cost);

// Gives `cost` back to the current window, down to zero; see fixed_window::Refund for `charged`.
Step Refund(std::uint64_t previous, std::uint64_t current, const Quota& quota, WallTime now,
            std::uint64_t cost, WallTime charged);

}  // namespace weir::sliding_window
