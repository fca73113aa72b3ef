#include "weir/core/quota.h"

#include "weir/base/wide.h"

namespace weir {
namespace {

// Keeps `now + tolerance` below 2^63 ticks as long as `now` is at most 2^62: two years of uptime
// with the largest bucket, four and a half with a small one.
constexpr std::int64_t kLargestTolerance = (std::int64_t{1} << 62) - 1;

Result<Quota, std::string> WithInterval(Quota quota) {
  if (quota.limit == 0) return quota;
  const Wide window = static_cast<Wide>(quota.window.count()) * Quota::kTicksPerNano;
  const Wide interval = (window + quota.limit - 1) / quota.limit;
  const Wide tolerance = interval * quota.burst;
  if (tolerance > static_cast<Wide>(kLargestTolerance)) {
    return std::string("a full bucket of this burst would take more than two years to refill");
  }
  quota.interval = static_cast<std::int64_t>(interval);
  quota.tolerance = static_cast<std::int64_t>(tolerance);
  return quota;
}

}  // namespace

std::string_view NameOf(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kTokenBucket:
      return "token_bucket";
    case Algorithm::kFixedWindow:
      return "fixed_window";
    case Algorithm::kSlidingWindow:
      return "sliding_window";
  }
  return "unknown";
}

Result<Quota, std::string> MakeQuota(const QuotaSpec& spec) {
  Quota quota;
  quota.algorithm = spec.algorithm;
  quota.limit = spec.limit;
  quota.unit = spec.unit;
  quota.calendar = spec.calendar;
  quota.window = spec.unit == Unit::kUnknown ? spec.window : LengthOf(spec.unit);
  quota.burst = spec.burst == 0 ? spec.limit : spec.burst;

  if (quota.window < kShortestWindow) return std::string("a window is at least 1ms long");
  if (quota.window > kLongestWindow) return std::string("a window is at most 366 days long");
  if (quota.limit > kLargestLimit || quota.burst > kLargestLimit) {
    return std::string("a limit is at most 1099511627774 (2^40 - 2)");
  }
  if (quota.calendar &&
      (quota.unit != Unit::kMonth || quota.algorithm != Algorithm::kFixedWindow)) {
    return std::string(
        "calendar windows exist for `unit: month` with `algorithm: fixed_window` only");
  }
  if (quota.algorithm == Algorithm::kTokenBucket) {
    if (quota.limit == 0 && spec.burst != 0) {
      return std::string("a limit of 0 never refills, so it cannot have a burst");
    }
    return WithInterval(quota);
  }
  if (spec.burst != 0) return std::string("`burst` belongs to token_bucket; a window has none");
  return quota;
}

}  // namespace weir
