#include "weir/core/algorithm/carry.h"

#include <algorithm>

#include "weir/base/wide.h"
#include "weir/core/algorithm/window.h"

namespace weir {

LevelFraction FractionOf(const Quota& quota, std::uint64_t used) {
  const std::uint64_t whole = quota.algorithm == Algorithm::kTokenBucket
                                  ? static_cast<std::uint64_t>(quota.tolerance)
                                  : quota.limit;
  if (whole == 0) return {};
  return {.used = std::min(used, whole), .whole = whole, .capacity = quota.capacity()};
}

std::uint64_t StateAt(const Quota& quota, LevelFraction level, std::int64_t now_ticks,
                      WallTime now) {
  // Spending the old capacity from the new one is the whole of the old level.
  const std::uint64_t units = std::min(quota.capacity(), level.capacity);
  if (quota.algorithm == Algorithm::kTokenBucket) {
    const Wide ticks = static_cast<Wide>(units) * static_cast<std::uint64_t>(quota.interval);
    const auto used = static_cast<std::uint64_t>(ticks * level.used / level.whole);
    return used == 0 ? 0 : static_cast<std::uint64_t>(now_ticks) + used;
  }
  const Wide scaled = static_cast<Wide>(units) * level.used;
  auto used = static_cast<std::uint64_t>((scaled + level.whole - 1) / level.whole);
  if (level.used < level.whole && used == quota.limit && used > 0) --used;
  if (used == 0) return 0;
  const std::uint32_t log2 = WindowState::Log2Of(quota);
  return WindowState(WindowState::NameOf(WindowAt(quota, now).end, log2), used).bits();
}

}  // namespace weir
