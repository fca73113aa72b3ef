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
  return {.used = std::min(used, whole), .whole = whole};
}

std::uint64_t StateAt(const Quota& quota, LevelFraction level, std::int64_t now_ticks,
                      WallTime now) {
  const bool bucket = quota.algorithm == Algorithm::kTokenBucket;
  const std::uint64_t whole = bucket ? static_cast<std::uint64_t>(quota.tolerance) : quota.limit;
  const auto used = static_cast<std::uint64_t>(static_cast<Wide>(whole) * level.used / level.whole);
  if (used == 0) return 0;
  if (bucket) return static_cast<std::uint64_t>(now_ticks) + used;
  const std::uint32_t log2 = WindowState::Log2Of(quota);
  return WindowState(WindowState::NameOf(WindowAt(quota, now).end, log2), used).bits();
}

}  // namespace weir
