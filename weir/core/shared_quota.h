#pragma once

#include <cstdint>
#include <string>

#include "weir/base/clock.h"
#include "weir/base/result.h"
#include "weir/core/quota.h"

namespace weir {

// How a store that instances share counts time: in ticks of 1/16 us since 2025, by the store's own
// clock.  Such a number is exact in a double (what scripts in Redis count with) until 2042.
struct SharedTicks {
  static constexpr std::int64_t kPerMicro = 16;
  static constexpr std::int64_t kPerSecond = 16'000'000;
  static constexpr WallTime kOrigin{std::chrono::seconds(1'735'689'600)};  // 2025-01-01, 00:00 UTC.
  static constexpr std::int64_t kQuotaTicks = 4000;  // Of Quota::kTicksPerNano, in one.

  // Exact for whole microseconds, which is what the store's clock shows; else rounded down.
  static constexpr WallTime WallOf(std::int64_t tick) { return kOrigin + Duration(tick * 125 / 2); }
  // Rounded down, also before 2025.  Within 140 years of it.
  static constexpr std::int64_t TickOf(WallTime wall) {
    const std::int64_t halves = (wall - kOrigin).count() * 2;
    return halves / 125 - (halves % 125 < 0 ? 1 : 0);
  }
  static constexpr std::int64_t TicksIn(Duration d) { return d.count() * 2 / 125; }
};

// `quota` as a shared store counts it: the same, except that a token bucket's interval is rounded
// up to whole ticks.  A memory store with that quota, at the shared store's tick, gives the same
// answers.
//
// Fails, with a sentence for people, where that rounding takes more than 0.1 % from the limit,
// where a window is not a whole number of microseconds, or where a bucket would take more than two
// years to refill.
Result<Quota, std::string> SharedQuota(const Quota& quota);

// A level of SharedQuota(quota), in shared ticks until full, as ticks until full of `quota` itself:
// the whole units left are the same.  REQUIRES: SharedQuota(quota) is ok
std::uint64_t UsedOfShared(const Quota& quota, std::uint64_t shared_ticks);

// Shared ticks between two units; 0 where the limit is 0.
constexpr std::int64_t SharedInterval(const Quota& quota) {
  return (quota.interval + SharedTicks::kQuotaTicks - 1) / SharedTicks::kQuotaTicks;
}

// Whether SharedQuota(quota) is ok, without the sentence.  Cheap enough for every hit.
bool FitsSharedStore(const Quota& quota);

}  // namespace weir
