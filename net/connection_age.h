#pragma once

#include <cstdint>

#include "weir/base/clock.h"
#include "weir/base/wide.h"

namespace weir::net {

// The age at which one connection is drained: `max_age` give or take 10 %, as `random` (any 64
// bits) says, so that connections made together do not all come back at once.  Zero, which is
// never, stays zero; what would be beyond Duration's range is its end.
inline Duration AgeOf(Duration max_age, std::uint64_t random) {
  constexpr int kBits = 64;
  const Duration tenth = max_age / 10;
  const Duration least = max_age - tenth;
  const auto span = static_cast<Wide>(2 * tenth.count());
  const Duration more(static_cast<std::int64_t>(span * random >> kBits));
  return more > Duration::max() - least ? Duration::max() : least + more;
}

}  // namespace weir::net
