#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "weir/base/clock.h"
#include "weir/core/failure_policy.h"

namespace weir {

// How calls to one node ended since they were last told: what a loop adds once a turn.  A call is
// one script call, however many hits it carries.
struct CallCounts {
  std::uint32_t ok = 0;
  std::uint32_t failed = 0;
  std::uint32_t late = 0;      // Not answered within the timeout, whatever came afterwards.
  Cause cause = Cause::kNone;  // Of the last that failed or was late.

  bool empty() const { return ok == 0 && failed == 0 && late == 0; }
};

struct BreakerOptions {
  std::uint64_t seed = 0;  // Of the jitter.

  static constexpr std::uint32_t kFewestCalls = 20;
  static constexpr Duration kWindow = std::chrono::seconds(1);
  static constexpr std::uint32_t kShortestRun = 5;
  static constexpr std::int64_t kRunTimeouts = 5;
  static constexpr Duration kFirstProbe = std::chrono::milliseconds(50);
  static constexpr Duration kLastProbe = std::chrono::seconds(1);
};

// Whether one node of the store is worth asking: one for each node and process, shared by the
// process's loops.
//
// Opens when of at least 20 calls within a second at least half failed or were late, or on an
// unbroken run of at least 5 such calls that lasts at least 5 timeouts, which is how a quiet
// instance notices.  While it is open nothing is asked but probes: one an instance, 50 ms to 1 s
// apart (the span doubles, the wait is drawn from all of it).  One good probe closes it.
//
// Thread-safe.  Reading is one load; Add() takes a lock, so call it once a turn.
class alignas(64) Breaker {
 public:
  explicit Breaker(BreakerOptions options = {}) : options_(options) {}
  Breaker(const Breaker&) = delete;
  Breaker& operator=(const Breaker&) = delete;

  // What a loop needs to know for a turn.
  struct View {
    bool open = false;
    std::uint32_t generation = 0;
    Cause cause = Cause::kNone;  // Why it opened, as last seen; while open only.
    Instant next_probe = kNever;
  };
  View Read() const;

  // Adds calls that were sent under `generation`; those of an earlier one say nothing about this
  // owner.  While open they change nothing but the cause.  `timeout` is the one in force.
  void Add(const CallCounts& counts, std::uint32_t generation, Duration timeout, Instant now);

  // Whether the caller may send the probe that is due: one caller wins, and must report its end by
  // ProbeEnded(), or nobody will: then the next one is due all the same.  The next is at least a
  // `timeout` away.
  bool WinProbe(Duration timeout, Instant now);

  // The probe was answered in time with a good answer (kNone), or was not.
  void ProbeEnded(Cause cause, std::uint32_t generation, Instant now);

  // The slot has a new owner, or the node a new primary: closed again, nothing known.
  void Renew(Instant now);

  // Since when it is closed without a break; kNever while open.  A breaker that never opened is
  // closed since Instant::min().
  Instant ClosedSince() const {
    return Instant(Duration(closed_since_.load(std::memory_order_acquire)));
  }
  // How long it has been open in all, up to `now`.
  Duration OpenFor(Instant now) const;
  std::uint64_t times_opened() const { return times_opened_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kBuckets = 10;
  static constexpr std::int64_t kClosed = 0;

  struct Bucket {
    std::int64_t number = -1;
    std::uint32_t calls = 0;
    std::uint32_t bad = 0;
  };

  bool ShouldOpen(const CallCounts& counts, Duration timeout, Instant now);
  void Open(Duration timeout, Instant now);
  void Close(Instant now);
  void Forget();
  Duration DrawWait(Duration timeout);

  // One line, read by every loop once a turn: kClosed, or when the next probe is due; the
  // generation and the cause.
  std::atomic<std::int64_t> next_probe_{kClosed};
  std::atomic<std::uint32_t> generation_{0};
  std::atomic<Cause> cause_{Cause::kNone};
  std::atomic<std::int64_t> closed_since_{Instant::min().time_since_epoch().count()};
  std::atomic<std::int64_t> opened_at_{0};  // Meaningless while closed.
  std::atomic<std::int64_t> open_for_{0};   // Before it opened last, ns.
  std::atomic<std::uint32_t> probes_{0};    // Since it opened.
  std::atomic<std::uint64_t> draws_{0};

  alignas(64) std::mutex mutex_;
  const BreakerOptions options_;
  Bucket buckets_[kBuckets];
  std::uint32_t run_ = 0;
  Instant run_since_{};
  std::atomic<std::uint64_t> times_opened_{0};
};

}  // namespace weir
