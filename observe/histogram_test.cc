#include "observe/histogram.h"

#include <gtest/gtest.h>

namespace weir::observe {
namespace {

namespace hb = histogram_buckets;

TEST(HistogramTest, PutsEachDurationAtOrBelowItsBucketsUpperBound) {
  for (std::int64_t n = 1; n < (std::int64_t{1} << 37); n += 1 + n / 7) {
    const std::size_t i = hb::IndexOf(Duration(n));
    ASSERT_LE(Duration(n), hb::UpperBound(i)) << n;
    if (i > 0) {
      ASSERT_GT(Duration(n), hb::UpperBound(i - 1)) << n;
    }
  }
}

TEST(HistogramTest, HasBucketsNoWiderThanAnEighth) {
  for (std::size_t i = 16; i < hb::kOverflow; ++i) {
    const double lower = static_cast<double>(hb::UpperBound(i - 1).count());
    const double upper = static_cast<double>(hb::UpperBound(i).count());
    ASSERT_LE((upper - lower) / lower, 0.125001) << i;
  }
}

TEST(HistogramTest, HasEveryExportedBoundAmongItsOwn) {
  for (const Duration bound : kExportedBounds) EXPECT_EQ(hb::UpperBound(hb::IndexOf(bound)), bound);
}

TEST(HistogramTest, CountsNegativeAndHugeDurationsInTheOutermostBuckets) {
  Histogram h;
  h.Add(Duration(-5));
  h.Add(Duration::max());
  const HistogramTotals totals = h.Totals();
  EXPECT_EQ(totals.buckets.front(), 1U);
  EXPECT_EQ(totals.buckets.back(), 1U);
  EXPECT_EQ(totals.count, 2U);
}

TEST(HistogramTest, FindsQuantilesToWithinABucket) {
  Histogram h;
  for (int i = 1; i <= 1000; ++i) h.Add(std::chrono::microseconds(i));
  const HistogramTotals totals = h.Totals();
  EXPECT_EQ(HistogramTotals().Quantile(0.5), Duration{});
  const auto p99 = totals.Quantile(0.99);
  EXPECT_GE(p99, std::chrono::microseconds(990));
  EXPECT_LE(p99, std::chrono::microseconds(1114));
  EXPECT_GE(totals.Quantile(1), std::chrono::microseconds(1000));
  EXPECT_GE(totals.Quantile(0), std::chrono::microseconds(1));
}

TEST(HistogramTest, SumsOverLoops) {
  Histogram a;
  Histogram b;
  a.Add(Duration(10));
  b.Add(Duration(10));
  b.Add(Duration(3000));
  HistogramTotals totals = a.Totals();
  totals += b.Totals();
  EXPECT_EQ(totals.count, 3U);
  EXPECT_EQ(totals.sum, Duration(3020));
  EXPECT_EQ(totals.AtMost(0), 2U);
}

}  // namespace
}  // namespace weir::observe
