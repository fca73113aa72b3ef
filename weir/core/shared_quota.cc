#include "weir/core/shared_quota.h"

#include "weir/base/wide.h"

namespace weir {
namespace {

// As kLargestTolerance of quota.cc: a debt and a cost beside it must not overflow.
constexpr Wide kLargestTolerance = (Wide{1} << 62U) - 1;

bool RoundsTooFar(const Quota& quota) {
  const std::int64_t rounded = SharedInterval(quota) * SharedTicks::kQuotaTicks;
  return static_cast<Wide>(rounded - quota.interval) * 1000 > static_cast<Wide>(quota.interval);
}

Wide ToleranceOf(const Quota& quota) {
  return static_cast<Wide>(SharedInterval(quota)) * SharedTicks::kQuotaTicks * quota.burst;
}

}  // namespace

bool FitsSharedStore(const Quota& quota) {
  if (quota.algorithm == Algorithm::kTokenBucket) {
    return !RoundsTooFar(quota) && ToleranceOf(quota) <= kLargestTolerance;
  }
  return quota.window.count() % 1000 == 0;
}

Result<Quota, std::string> SharedQuota(const Quota& quota) {
  if (quota.algorithm != Algorithm::kTokenBucket) {
    if (quota.window.count() % 1000 == 0) return quota;
    return std::string("in a shared store a window is a whole number of microseconds");
  }
  if (RoundsTooFar(quota)) {
    return std::string(
        "a shared store counts in sixteenths of a microsecond, which would take more than 0.1 % "
        "from this limit: use a limit that divides the window better, or a window algorithm");
  }
  if (ToleranceOf(quota) > kLargestTolerance) {
    return std::string("a full bucket of this burst would take more than two years to refill");
  }
  Quota shared = quota;
  shared.interval = SharedInterval(quota) * SharedTicks::kQuotaTicks;
  shared.tolerance = static_cast<std::int64_t>(ToleranceOf(quota));
  return shared;
}

// Rounded up: then the room left, counted in the shorter interval, holds as many whole units.
std::uint64_t UsedOfShared(const Quota& quota, std::uint64_t shared_ticks) {
  const auto interval = static_cast<std::uint64_t>(SharedInterval(quota));
  if (interval == 0) return 0;
  const Wide used = static_cast<Wide>(shared_ticks) * static_cast<std::uint64_t>(quota.interval);
  return static_cast<std::uint64_t>((used + interval - 1) / interval);
}

}  // namespace weir
