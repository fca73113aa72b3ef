#include "weir/failure/deadline.h"

#include <algorithm>
#include <bit>

namespace weir {
namespace {

constexpr std::size_t kSteps = 16;

}  // namespace

std::size_t Timeout::BucketOf(Duration latency) {
  const auto us = static_cast<std::uint64_t>(std::max<std::int64_t>(latency.count(), 0)) / 1000;
  if (us < kSteps) return us;
  const auto doublings = static_cast<std::size_t>(std::bit_width(us)) - 5;
  const std::size_t step = (us >> doublings) - kSteps;
  return std::min((doublings + 1) * kSteps + step, kBuckets - 1);
}

Duration Timeout::UpperEdgeOf(std::size_t bucket) {
  if (bucket < kSteps) return std::chrono::microseconds(bucket + 1);
  const std::size_t doublings = bucket / kSteps - 1;
  const std::uint64_t next = (kSteps + bucket % kSteps + 1) << doublings;
  return std::chrono::microseconds(next);
}

void Timeout::Learn(Instant now) {
  const std::int64_t ns = now.time_since_epoch().count();
  const std::int64_t over = lesson_over_.load(std::memory_order_relaxed);
  if (ns < over) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || lesson_over_.load(std::memory_order_relaxed) != over) return;
  lesson_over_.store(ns + TimeoutOptions::kLesson.count(), std::memory_order_relaxed);
  const bool healthy = !spoiled_.exchange(false, std::memory_order_relaxed) && over != 0;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    const std::uint32_t gathered = lesson_[i].exchange(0, std::memory_order_relaxed);
    if (healthy) learned_[i] = learned_[i] / 2 + gathered;
    total += learned_[i];
  }
  if (!healthy || total < TimeoutOptions::kFewestCalls) return;
  p99_.store(Quantile(total, 990).count(), std::memory_order_relaxed);
  const Duration tail = Quantile(total, 999);
  p999_.store(tail.count(), std::memory_order_relaxed);
  if (!options_.automatic) return;
  const Duration timeout =
      std::clamp<Duration>(2 * tail, TimeoutOptions::kShortest, TimeoutOptions::kLongest);
  now_.store(timeout.count(), std::memory_order_relaxed);
}

Duration Timeout::Quantile(std::uint64_t total, std::uint64_t per_mille) const {
  const std::uint64_t rank = (total * per_mille + 999) / 1000;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen += learned_[i];
    if (seen >= rank) return UpperEdgeOf(i);
  }
  return UpperEdgeOf(kBuckets - 1);
}

}  // namespace weir
