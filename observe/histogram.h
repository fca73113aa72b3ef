#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "weir/base/clock.h"
#include "weir/base/counter.h"

namespace weir::observe {

// Durations sorted into log-linear buckets: eight to each power of two of nanoseconds, so that any
// answer is right to within 12.5 %, from 1 ns to 68 s; one more bucket for all above.  A bucket
// holds what is above its lower and not above its upper bound.
namespace histogram_buckets {

inline constexpr unsigned kSplitBits = 3;
inline constexpr unsigned kSplit = 1U << kSplitBits;
inline constexpr unsigned kMostBits = 36;
inline constexpr std::size_t kOverflow = (kMostBits - kSplitBits + 1) * kSplit;
inline constexpr std::size_t kCount = kOverflow + 1;

// Negative durations count as zero.
constexpr std::size_t IndexOf(Duration d) {
  const std::uint64_t n = d.count() > 0 ? static_cast<std::uint64_t>(d.count()) - 1 : 0;
  if (n < kSplit) return static_cast<std::size_t>(n);
  const auto bits = static_cast<unsigned>(std::bit_width(n));
  if (bits > kMostBits) return kOverflow;
  const unsigned shift = bits - kSplitBits - 1;
  return (shift + 1) * kSplit + ((n >> shift) & (kSplit - 1));
}

// The upper bound of a bucket; Duration::max() for the last.
constexpr Duration UpperBound(std::size_t index) {
  if (index >= kOverflow) return Duration::max();
  if (index < kSplit) return Duration(static_cast<std::int64_t>(index) + 1);
  const std::size_t shift = index / kSplit - 1;
  return Duration(static_cast<std::int64_t>((kSplit + index % kSplit + 1) << shift));
}

}  // namespace histogram_buckets

// The bounds shown to Prometheus: powers of two from 1.024 us to 8.6 s.  They are bounds of our
// buckets too, so that what is exported is exact.
inline constexpr std::array<Duration, 24> kExportedBounds = [] {
  std::array<Duration, 24> bounds{};
  for (std::size_t i = 0; i < bounds.size(); ++i) bounds[i] = Duration(std::int64_t{1} << (10 + i));
  return bounds;
}();

// What histograms held when somebody looked; sums of several loops' are histograms again.
struct HistogramTotals {
  std::array<std::uint64_t, histogram_buckets::kCount> buckets{};
  std::uint64_t count = 0;
  Duration sum{};

  HistogramTotals& operator+=(const HistogramTotals& other);

  // How many durations were at most kExportedBounds[bound].
  std::uint64_t AtMost(std::size_t bound) const;

  // A duration that a part `q` (0 to 1) of all does not exceed, rounded up to a bucket's bound;
  // zero if there are none, Duration::max() if it lies above 68 s.
  Duration Quantile(double q) const;
};

// One loop's durations.  Add() by one thread only, Totals() by any.
class Histogram {
 public:
  // `times` durations of the same length.
  void Add(Duration d, std::uint64_t times = 1) {
    cells_[histogram_buckets::IndexOf(d)].Add(times);
    if (d.count() > 0) sum_.Add(static_cast<std::uint64_t>(d.count()) * times);
  }

  // Consistent to a few durations while the writer goes on: `count` is the sum of the buckets.
  HistogramTotals Totals() const;

 private:
  std::array<CounterCell, histogram_buckets::kCount> cells_;
  CounterCell sum_;
};

}  // namespace weir::observe
