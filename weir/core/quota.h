#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weir/base/clock.h"
#include "weir/base/result.h"
#include "weir/core/unit.h"

namespace weir {

enum class Algorithm : std::uint8_t {
  kTokenBucket,    // GCRA: `limit` per window, smoothly, with room for `burst` at once.
  kFixedWindow,    // Epoch-aligned windows; up to twice the limit across an edge.
  kSlidingWindow,  // Two fixed windows, the old one weighted by what is left of it.
};

// "token_bucket", "fixed_window", "sliding_window": the words of the configuration.
std::string_view NameOf(Algorithm algorithm);

// How much may pass: plain numbers, complete in themselves.  Made by MakeQuota(), which checks
// them and fills the derived part; copies are cheap.
struct Quota {
  // Token-bucket arithmetic counts in ticks of 1/64 ns: fine enough that rounding an emission
  // interval up costs less than 0.1 % up to 60 million units a second, and still 9 years from
  // overflow.
  static constexpr std::int64_t kTicksPerNano = 64;

  Algorithm algorithm = Algorithm::kTokenBucket;
  std::uint64_t limit = 0;  // Units per window.  0 denies everything but peeks.
  Duration window{};
  std::uint64_t burst = 0;     // Token bucket: the most that passes at once.  Else: the limit.
  Unit unit = Unit::kUnknown;  // The window's name on the wire, if it has one.
  bool calendar = false;       // kMonth only: windows are the UTC calendar's months.

  // Derived; token bucket only.
  std::int64_t interval = 0;   // Ticks between two units, rounded up.
  std::int64_t tolerance = 0;  // burst x interval.

  bool operator==(const Quota&) const = default;

  // The most that one request can ever be granted.
  std::uint64_t capacity() const { return burst; }
};

struct QuotaSpec {
  Algorithm algorithm = Algorithm::kTokenBucket;
  std::uint64_t limit = 0;
  Duration window{};        // Ignored when `unit` is set.
  std::uint64_t burst = 0;  // 0: the limit.
  Unit unit = Unit::kUnknown;
  bool calendar = false;
};

// Bounds, and what MakeQuota says beyond them.
inline constexpr Duration kShortestWindow = std::chrono::milliseconds(1);
inline constexpr Duration kLongestWindow = std::chrono::hours(24) * 366;
inline constexpr std::uint64_t kLargestLimit = (1ULL << 40U) - 2;  // Window counts have 40 bits.

// Fails, with a sentence for people, on a window outside the bounds, a limit or burst above
// kLargestLimit, a burst on a window algorithm, a calendar window other than a fixed month, or a
// token bucket that would take more than two years to refill.
Result<Quota, std::string> MakeQuota(const QuotaSpec& spec);

}  // namespace weir
