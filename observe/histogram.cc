#include "observe/histogram.h"

#include <algorithm>
#include <cmath>

namespace weir::observe {

HistogramTotals& HistogramTotals::operator+=(const HistogramTotals& other) {
  for (std::size_t i = 0; i < buckets.size(); ++i) buckets[i] += other.buckets[i];
  count += other.count;
  sum += other.sum;
  return *this;
}

std::uint64_t HistogramTotals::AtMost(std::size_t bound) const {
  const std::size_t last = histogram_buckets::IndexOf(kExportedBounds[bound]);
  std::uint64_t below = 0;
  for (std::size_t i = 0; i <= last; ++i) below += buckets[i];
  return below;
}

Duration HistogramTotals::Quantile(double q) const {
  if (count == 0) return {};
  const double wanted = std::clamp(q, 0.0, 1.0) * static_cast<double>(count);
  const auto rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(wanted)));
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    below += buckets[i];
    if (below >= rank) return histogram_buckets::UpperBound(i);
  }
  return Duration::max();
}

HistogramTotals Histogram::Totals() const {
  HistogramTotals totals;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    totals.buckets[i] = cells_[i].Read();
    totals.count += totals.buckets[i];
  }
  totals.sum = Duration(static_cast<std::int64_t>(sum_.Read()));
  return totals;
}

}  // namespace weir::observe
