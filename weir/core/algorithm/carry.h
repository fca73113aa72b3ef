#pragma once

#include <cstdint>

#include "weir/core/quota.h"

namespace weir {

// How far a counter is from untouched, as a fraction of its capacity: what a reload carries from a
// rule's old numbers to its new ones.  used == whole is "nothing left".
struct LevelFraction {
  std::uint64_t used = 0;
  std::uint64_t whole = 1;
  // What `whole` is in units (the burst or limit).
  std::uint64_t capacity = kLargestLimit;
};

// Reads a level as `used` (see Outcome::used) of a quota.
LevelFraction FractionOf(const Quota& quota, std::uint64_t used);

// The state that stands under `quota` where `level` stood.
//
// A smaller capacity keeps the level's share of it: half spent stays half spent.  A larger one
// keeps the units spent, so that all it adds is there at once.  Windows count whole units, rounded
// up, except that a window with room keeps at least one unit of it.
//
// `now_ticks` as in gcra.h; `now` is wall time.  For a sliding window it is the current window's
// state.
std::uint64_t StateAt(const Quota& quota, LevelFraction level, std::int64_t now_ticks,
                      WallTime now);

}  // namespace weir
