#include "weir/failure/breaker.h"

#include <algorithm>

#include "weir/base/hash.h"
#include "weir/failure/jitter.h"

namespace weir {
namespace {

std::int64_t NanosOf(Instant t) {
  return t.time_since_epoch().count();
}

}  // namespace

Breaker::View Breaker::Read() const {
  const std::int64_t next = next_probe_.load(std::memory_order_acquire);
  View view;
  view.generation = generation_.load(std::memory_order_relaxed);
  if (next == kClosed) return view;
  view.open = true;
  view.cause = cause_.load(std::memory_order_relaxed);
  view.next_probe = Instant(Duration(next));
  return view;
}

void Breaker::Add(const CallCounts& counts, std::uint32_t generation, Duration timeout,
                  Instant now) {
  if (counts.empty()) return;
  const std::lock_guard lock(mutex_);
  if (generation != generation_.load(std::memory_order_relaxed)) return;
  if (counts.failed + counts.late != 0 && counts.cause != Cause::kNone) {
    cause_.store(counts.cause, std::memory_order_relaxed);
  }
  if (next_probe_.load(std::memory_order_relaxed) != kClosed) return;
  if (ShouldOpen(counts, timeout, now)) Open(timeout, now);
}

bool Breaker::ShouldOpen(const CallCounts& counts, Duration timeout, Instant now) {
  const std::uint32_t bad = counts.failed + counts.late;
  const std::int64_t number =
      NanosOf(now) / (BreakerOptions::kWindow.count() / static_cast<std::int64_t>(kBuckets));
  Bucket& bucket = buckets_[static_cast<std::uint64_t>(number) % kBuckets];
  if (bucket.number != number) bucket = {.number = number};
  bucket.calls += counts.ok + bad;
  bucket.bad += bad;

  // Which of one turn's calls came first is not known; any good one breaks the run.
  if (counts.ok != 0) run_ = 0;
  if (counts.ok == 0 && bad != 0) {
    if (run_ == 0) run_since_ = now;
    run_ += bad;
  }
  if (run_ >= BreakerOptions::kShortestRun &&
      now - run_since_ >= BreakerOptions::kRunTimeouts * timeout) {
    return true;
  }
  if (bad == 0) return false;
  std::uint32_t calls = 0;
  std::uint32_t all_bad = 0;
  for (const Bucket& b : buckets_) {
    if (b.number <= number - static_cast<std::int64_t>(kBuckets)) continue;
    calls += b.calls;
    all_bad += b.bad;
  }
  return calls >= BreakerOptions::kFewestCalls && 2 * all_bad >= calls;
}

void Breaker::Open(Duration timeout, Instant now) {
  probes_.store(0, std::memory_order_relaxed);
  closed_since_.store(NanosOf(kNever), std::memory_order_release);
  times_opened_.fetch_add(1, std::memory_order_relaxed);
  opened_at_.store(NanosOf(now), std::memory_order_relaxed);
  Forget();
  next_probe_.store(NanosOf(now + DrawWait(timeout)), std::memory_order_release);
}

void Breaker::Close(Instant now) {
  Forget();
  cause_.store(Cause::kNone, std::memory_order_relaxed);
  open_for_.fetch_add(NanosOf(now) - opened_at_.load(std::memory_order_relaxed),
                      std::memory_order_relaxed);
  closed_since_.store(NanosOf(now), std::memory_order_release);
  next_probe_.store(kClosed, std::memory_order_release);
}

Duration Breaker::OpenFor(Instant now) const {
  const Duration before(open_for_.load(std::memory_order_relaxed));
  if (next_probe_.load(std::memory_order_acquire) == kClosed) return before;
  return before + (now - Instant(Duration(opened_at_.load(std::memory_order_relaxed))));
}

void Breaker::Forget() {
  for (Bucket& bucket : buckets_) bucket = {};
  run_ = 0;
}

Duration Breaker::DrawWait(Duration timeout) {
  const std::uint32_t doublings = std::min(probes_.fetch_add(1, std::memory_order_relaxed), 5U);
  const Duration span =
      std::min(BreakerOptions::kLastProbe, BreakerOptions::kFirstProbe * (1U << doublings));
  const std::uint64_t draw = draws_.fetch_add(1, std::memory_order_relaxed);
  const Duration wait = BreakerOptions::kFirstProbe +
                        JitterOf(MixHash(options_.seed, draw), span - BreakerOptions::kFirstProbe);
  return std::max(wait, timeout);
}

bool Breaker::WinProbe(Duration timeout, Instant now) {
  std::int64_t due = next_probe_.load(std::memory_order_acquire);
  if (due == kClosed || NanosOf(now) < due) return false;
  return next_probe_.compare_exchange_strong(due, NanosOf(now + DrawWait(timeout)),
                                             std::memory_order_acq_rel);
}

void Breaker::ProbeEnded(Cause cause, std::uint32_t generation, Instant now) {
  const std::lock_guard lock(mutex_);
  if (generation != generation_.load(std::memory_order_relaxed)) return;
  if (next_probe_.load(std::memory_order_relaxed) == kClosed) return;
  if (cause == Cause::kNone) {
    Close(now);
  } else {
    cause_.store(cause, std::memory_order_relaxed);
  }
}

void Breaker::Renew(Instant now) {
  const std::lock_guard lock(mutex_);
  generation_.fetch_add(1, std::memory_order_relaxed);
  const bool was_open = next_probe_.load(std::memory_order_relaxed) != kClosed;
  if (was_open) {
    Close(now);
  } else {
    Forget();
  }
}

}  // namespace weir
