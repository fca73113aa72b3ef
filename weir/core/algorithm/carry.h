#pragma once

#include <cstdint>

#include "weir/core/quota.h"

namespace weir {

// How far a counter is from untouched, as a fraction: what a reload carries from a rule's old
// numbers to its new ones.  used == whole is "nothing left".
struct LevelFraction {
  std::uint64_t used = 0;
  std::uint64_t whole = 1;
};

// Reads a level as `used` (see Outcome::used) of a quota.
LevelFraction FractionOf(const Quota& quota, std::uint64_t used);

// The state that stands as far from untouched under `quota`, rounded down so that a change never
// turns room into none.  `now_ticks` as in gcra.h; `now` is wall time.  For a sliding window it is
// the current window's state.
std::uint64_t StateAt(const Quota& quota, LevelFraction level, std::int64_t now_ticks,
                      WallTime now);

}  // namespace weir
