#include "weir/config/quantity.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

using namespace std::chrono_literals;

TEST(QuantityTest, ReadsDurationsAsPeopleSayThem) {
  EXPECT_EQ(ParseDuration("250ms"), Duration(250ms));
  EXPECT_EQ(ParseDuration("1m30s"), Duration(90s));
  EXPECT_EQ(ParseDuration("1.5s"), Duration(1500ms));
  EXPECT_EQ(ParseDuration("2d"), Duration(48h));
  EXPECT_EQ(ParseDuration("0"), Duration(0));
  EXPECT_EQ(ParseDuration("10us"), Duration(10us));
}

TEST(QuantityTest, C52_RefusesDurationsWithoutUnitOrBelowZero) {
  for (const char* t :
       {"", "10", "-1s", "1x", "s", "1s2", "1..5s", "1 s", "101000d", "1e3s", "ms"}) {
    EXPECT_EQ(ParseDuration(t), std::nullopt) << t;
  }
}

TEST(QuantityTest, WritesDurationsThatReadBack) {
  EXPECT_EQ(DurationText(Duration(0)), "0s");
  EXPECT_EQ(DurationText(Duration(90s)), "1m30s");
  for (const Duration d : {Duration(1), Duration(1500ms), Duration(26h), Duration(366 * 24h)}) {
    EXPECT_EQ(ParseDuration(DurationText(d)), d);
  }
}

TEST(QuantityTest, ReadsRates) {
  EXPECT_EQ(ParseRate("50/s"), (Rate{50, 1s}));
  EXPECT_EQ(ParseRate("5/day"), (Rate{5, 24h}));
  EXPECT_EQ(ParseRate("1/10s"), (Rate{1, 10s}));
  for (const char* t : {"50", "/s", "50/", "50/x", "-1/s", "50/0s"}) {
    EXPECT_EQ(ParseRate(t), std::nullopt) << t;
  }
}

TEST(QuantityTest, ReadsPercentagesSizesCountsAndDates) {
  EXPECT_EQ(ParsePercent("25%"), 25U);
  EXPECT_EQ(ParsePercent("100"), 100U);
  EXPECT_EQ(ParsePercent("101%"), std::nullopt);
  EXPECT_EQ(ParsePercent("2.5%"), std::nullopt);
  EXPECT_EQ(ParseBytes("64KiB"), 65536U);
  EXPECT_EQ(ParseBytes("10MB"), 10'000'000U);
  EXPECT_EQ(ParseBytes("99999999999GiB"), std::nullopt);
  EXPECT_EQ(ParseBytes("1kb"), std::nullopt);
  EXPECT_EQ(ParseCount("1_000_000"), 1'000'000U);
  EXPECT_EQ(ParseCount("1__0"), std::nullopt);
  EXPECT_EQ(ParseCount("18446744073709551616"), std::nullopt);
  EXPECT_TRUE(IsDate("2024-02-29"));
  EXPECT_FALSE(IsDate("2026-02-29"));
  EXPECT_FALSE(IsDate("2026-2-9"));
  EXPECT_FALSE(IsDate("2026-1_-01"));
}

}  // namespace
}  // namespace weir
