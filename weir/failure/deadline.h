#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "weir/base/clock.h"

namespace weir {

// How long a check may take when its caller allows `grpc_timeout` in all: a millisecond or a tenth
// of it, whichever is more, is kept for the way back.  Not above zero: nothing is left.
constexpr Duration BudgetOf(Duration grpc_timeout) {
  const Duration kept = std::max<Duration>(std::chrono::milliseconds(1), grpc_timeout / 10);
  return grpc_timeout - kept;
}

// When a check must be decided: `timeout` from now, or at `caller`, if that is earlier.  A face
// sets Check::deadline to arrival + BudgetOf(grpc-timeout).
constexpr Instant DeadlineOf(Instant now, Duration timeout, Instant caller) {
  return std::min(now + timeout, caller);
}

// A connection whose oldest call has waited this long is to be dropped.
constexpr Duration DropAfter(Duration timeout) {
  return std::max<Duration>(std::chrono::seconds(1), 10 * timeout);
}

// A call that has not been answered this long after it was sent is late, whoever waits for it.
constexpr bool IsLate(Instant sent, Duration timeout, Instant now) {
  return now - sent >= timeout;
}

struct TimeoutOptions {
  Duration timeout = std::chrono::milliseconds(10);
  bool automatic = false;  // `auto`: 2 x healthy p99.9, within the bounds; `timeout` until learned.

  static constexpr Duration kShortest = std::chrono::milliseconds(5);
  static constexpr Duration kLongest = std::chrono::milliseconds(50);
  static constexpr std::uint64_t kFewestCalls = 1000;  // Fewer teach nothing about one in 1000.
  static constexpr Duration kLesson = std::chrono::seconds(10);
};

// The timeout in force, and what is known about the store's healthy latency.
//
// Latencies are gathered for a lesson of 10 s.  If the store was healthy all that time the lesson
// is learned; else it is thrown away, whole: an outage must not teach patience.  Older lessons
// fade, by half each.
//
// Thread-safe: loops add to relaxed counters; Learn() takes a lock.
class Timeout {
 public:
  explicit Timeout(TimeoutOptions options) : options_(options), now_(options.timeout.count()) {}
  Timeout(const Timeout&) = delete;
  Timeout& operator=(const Timeout&) = delete;

  Duration value() const { return Duration(now_.load(std::memory_order_relaxed)); }

  // One call took so long, late answers too.
  void Add(Duration latency) { lesson_[BucketOf(latency)].fetch_add(1, std::memory_order_relaxed); }
  // The store is not healthy (a breaker is open): what was gathered since the last lesson is void.
  void Spoil() { spoiled_.store(true, std::memory_order_relaxed); }

  // Call it once a turn; works when a lesson is over.
  void Learn(Instant now);

  // Of healthy calls, rounded up by at most a sixteenth; zero until learned.
  Duration p99() const { return Duration(p99_.load(std::memory_order_relaxed)); }
  Duration p999() const { return Duration(p999_.load(std::memory_order_relaxed)); }
  // Healthy calls come too close to the timeout: warn.
  bool Tight() const { return p99() > value() / 2; }

  // -- the histogram: sixteen buckets to each doubling, from 1 us on, the last one is endless --
  static constexpr std::size_t kBuckets = 16 * 24;
  static std::size_t BucketOf(Duration latency);
  static Duration UpperEdgeOf(std::size_t bucket);

 private:
  Duration Quantile(std::uint64_t total, std::uint64_t per_mille) const;

  const TimeoutOptions options_;
  std::atomic<std::int64_t> now_;
  std::atomic<std::int64_t> p99_{0};
  std::atomic<std::int64_t> p999_{0};
  std::atomic<bool> spoiled_{false};
  std::atomic<std::int64_t> lesson_over_{0};
  std::array<std::atomic<std::uint32_t>, kBuckets> lesson_{};

  std::mutex mutex_;
  std::array<std::uint64_t, kBuckets> learned_{};
};

}  // namespace weir
