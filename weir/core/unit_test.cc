#include "weir/core/unit.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

using namespace std::chrono_literals;

TEST(UnitTest, CarriesTheNumbersOfTheWire) {
  EXPECT_EQ(UnitFromWire(1), Unit::kSecond);
  EXPECT_EQ(UnitFromWire(2), Unit::kMinute);
  EXPECT_EQ(UnitFromWire(3), Unit::kHour);
  EXPECT_EQ(UnitFromWire(4), Unit::kDay);
  EXPECT_EQ(UnitFromWire(5), Unit::kMonth);
  EXPECT_EQ(UnitFromWire(6), Unit::kYear);
  EXPECT_EQ(UnitFromWire(7), Unit::kWeek);
}

TEST(UnitTest, NumbersThatNameNoUnitAreUnknown) {
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{8}, std::uint64_t{255},
                                     std::uint64_t{256}, ~std::uint64_t{0}}) {
    EXPECT_EQ(UnitFromWire(number), Unit::kUnknown) << number;
  }
}

TEST(UnitTest, C31_LastsAFixedTime) {
  EXPECT_EQ(LengthOf(Unit::kUnknown), 0s);
  EXPECT_EQ(LengthOf(Unit::kSecond), 1s);
  EXPECT_EQ(LengthOf(Unit::kMinute), 60s);
  EXPECT_EQ(LengthOf(Unit::kHour), 3600s);
  EXPECT_EQ(LengthOf(Unit::kDay), 24h);
  EXPECT_EQ(LengthOf(Unit::kWeek), 7 * 24h);
  EXPECT_EQ(LengthOf(Unit::kMonth), 30 * 24h);
  EXPECT_EQ(LengthOf(Unit::kYear), 365 * 24h);
}

TEST(UnitTest, C55_IsReadInAnyCaseAndInNoOtherSpelling) {
  for (const char* text : {"minute", "MINUTE", "Minute", "mInUtE"}) {
    EXPECT_EQ(ParseUnit(text), Unit::kMinute) << text;
  }
  for (const char* text : {"", "minutes", "min", "m", " minute", "minute ", "unknown", "UNKNOWN",
                           "0", "decade", "m\xc3\xafnute"}) {
    EXPECT_EQ(ParseUnit(text), std::nullopt) << text;
  }
}

TEST(UnitTest, ReadsItsOwnNames) {
  for (std::uint64_t number = 1; number <= 7; ++number) {
    const Unit unit = UnitFromWire(number);
    EXPECT_EQ(ParseUnit(NameOf(unit)), unit);
  }
  EXPECT_EQ(NameOf(Unit::kWeek), "WEEK");
  EXPECT_EQ(NameOf(Unit::kUnknown), "UNKNOWN");
}

}  // namespace
}  // namespace weir
