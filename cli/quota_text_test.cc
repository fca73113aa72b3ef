#include "cli/quota_text.h"

#include <gtest/gtest.h>

namespace weir::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(QuotaTextTest, ReadsAsPeopleSayIt) {
  EXPECT_EQ(QuotaText(*MakeQuota({.limit = 50, .unit = Unit::kSecond})), "50/s");
  EXPECT_EQ(QuotaText(*MakeQuota({.limit = 5, .unit = Unit::kMinute})), "5/min");
  EXPECT_EQ(QuotaText(*MakeQuota({.limit = 50, .burst = 100, .unit = Unit::kSecond})),
            "50/s, burst 100");
  EXPECT_EQ(QuotaText(*MakeQuota({.limit = 20, .window = seconds(10)})), "20 per 10s");
  EXPECT_EQ(
      QuotaText(*MakeQuota({.algorithm = Algorithm::kFixedWindow, .limit = 1, .unit = Unit::kDay})),
      "1/day");
}

TEST(QuotaTextTest, DurationsTakeTheLargestExactUnit) {
  EXPECT_EQ(DurationText(milliseconds(250)), "250ms");
  EXPECT_EQ(DurationText(milliseconds(1500)), "1500ms");
  EXPECT_EQ(DurationText(seconds(90)), "90s");
  EXPECT_EQ(DurationText(seconds(3600)), "1h");
  EXPECT_EQ(DurationText(Duration(7)), "7ns");
  EXPECT_EQ(DurationText(Duration(0)), "0ns");
}

}  // namespace
}  // namespace weir::cli
