#pragma once

#include <chrono>
#include <cstdint>

namespace weir {

// Time comes in two kinds that cannot be mixed by accident: `Instant` measures, `WallTime` shows.
// Both have nanosecond resolution and 64-bit range.  Nothing in Weir but base/system_clock.cc reads
// a real clock: algorithms take `Now` as an argument, objects take a `Clock&`.

using Duration = std::chrono::nanoseconds;

struct SteadyTimeline {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = Duration;
  using time_point = std::chrono::time_point<SteadyTimeline>;
  static constexpr bool is_steady = true;
};
struct WallTimeline {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = Duration;
  using time_point = std::chrono::time_point<WallTimeline>;
  static constexpr bool is_steady = false;
};

// A point on this process's monotonic clock.  Only differences mean anything.
using Instant = std::chrono::time_point<SteadyTimeline>;
// A point on the Unix timeline: nanoseconds since 1970-01-01T00:00:00Z.
using WallTime = std::chrono::time_point<WallTimeline>;

inline constexpr Instant kNever = Instant::max();

// Both clocks, read together once a turn of the loop and handed down from there, so that one
// request sees one time.
struct Now {
  Instant steady{};
  WallTime wall{};

  bool operator==(const Now&) const = default;
};

// Where time comes from.  Thread-safe in every implementation.
class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;
  virtual Now Read() const = 0;
};

// Whole seconds since the epoch, rounded down (also before 1970).
constexpr std::int64_t UnixSeconds(WallTime t) {
  return std::chrono::floor<std::chrono::seconds>(t.time_since_epoch()).count();
}

// Whole seconds, rounded up: what Retry-After and the RateLimit fields can express.
constexpr std::int64_t CeilSeconds(Duration d) {
  return std::chrono::ceil<std::chrono::seconds>(d).count();
}

}  // namespace weir
