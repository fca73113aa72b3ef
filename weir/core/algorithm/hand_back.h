#pragma once

#include <cstdint>

#include "weir/core/algorithm/step.h"
#include "weir/core/quota.h"
#include "weir/core/share.h"

namespace weir::hand_back {

// After an outage: what an instance admitted by itself is added to the shared count.  Pure.

// What the token bucket of one instance owes the shared one: its share of the time by which its own
// charges moved `local` beyond `seen`, the last state it saw in the store, as far as that has not
// passed.  States and `now` as in gcra.h; ticks, never negative.
std::uint64_t TicksOwed(const Share& share, std::uint64_t local, std::uint64_t seen,
                        std::int64_t now);

// The store's side: TAT = min(now + tolerance, max(TAT, now) + ticks).  A state already beyond that
// stays.
Step AddTicks(std::uint64_t state, const Quota& quota, std::int64_t now, std::uint64_t ticks);

// Adds units to the window they were admitted in, on the store's clock; those of a window that is
// closed are dropped (the state does not move).  With `capped` the count stops at the limit, so
// that nobody is locked out by what a mode without verdict let pass.
Step AddToWindow(std::uint64_t state, const Quota& quota, WallTime now, std::uint64_t units,
                 WallTime admitted, bool capped);

}  // namespace weir::hand_back
