#include "cli/go_values.h"

#include <limits>

#include <gtest/gtest.h>

namespace weir::cli {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(GoValuesTest, BoolsAreGosTwelveWords) {
  for (const char* yes : {"1", "t", "T", "TRUE", "true", "True"}) {
    EXPECT_EQ(ParseGoBool(yes), true) << yes;
  }
  for (const char* no : {"0", "f", "F", "FALSE", "false", "False"}) {
    EXPECT_EQ(ParseGoBool(no), false) << no;
  }
  for (const char* other : {"", "yes", "on", "tRUE", " true", "2"}) {
    EXPECT_EQ(ParseGoBool(other), std::nullopt) << other;
  }
}

TEST(GoValuesTest, IntegersTakePrefixesAndUnderscores) {
  EXPECT_EQ(ParseGoInt("8081"), 8081);
  EXPECT_EQ(ParseGoInt("+5"), 5);
  EXPECT_EQ(ParseGoInt("-5"), -5);
  EXPECT_EQ(ParseGoInt("0"), 0);
  EXPECT_EQ(ParseGoInt("0x1F"), 31);
  EXPECT_EQ(ParseGoInt("0b101"), 5);
  EXPECT_EQ(ParseGoInt("0o17"), 15);
  EXPECT_EQ(ParseGoInt("017"), 15);
  EXPECT_EQ(ParseGoInt("1_000"), 1000);
  EXPECT_EQ(ParseGoInt("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  for (const char* other : {"", "-", "0x", "089", "1.0", "8081 ", "tcp://10.0.0.1:80", "1__0", "1_",
                            "9223372036854775808", "--1"}) {
    EXPECT_EQ(ParseGoInt(other), std::nullopt) << other;
  }
}

TEST(GoValuesTest, FloatsAreFinite) {
  EXPECT_EQ(ParseGoFloat("0.8"), 0.8);
  EXPECT_EQ(ParseGoFloat("-1e3"), -1000.0);
  EXPECT_EQ(ParseGoFloat(".5"), 0.5);
  for (const char* other : {"", "nan", "inf", "1e999", "0.8x", "--1", "+-1"}) {
    EXPECT_EQ(ParseGoFloat(other), std::nullopt) << other;
  }
}

TEST(GoValuesTest, DurationsNeedAUnit) {
  EXPECT_EQ(ParseGoDuration("10s"), Duration(seconds(10)));
  EXPECT_EQ(ParseGoDuration("1h30m"), Duration(hours(1)) + minutes(30));
  EXPECT_EQ(ParseGoDuration("1.5s"), Duration(milliseconds(1500)));
  EXPECT_EQ(ParseGoDuration(".5s"), Duration(milliseconds(500)));
  EXPECT_EQ(ParseGoDuration("-2ms"), Duration(milliseconds(-2)));
  EXPECT_EQ(ParseGoDuration("3\xC2\xB5s"), Duration(3000));
  EXPECT_EQ(ParseGoDuration("0"), Duration{});
  for (const char* other : {"", "10", "s", "10 s", "10d", ".s", "-", "9999999999999h", "1h30"}) {
    EXPECT_EQ(ParseGoDuration(other), std::nullopt) << other;
  }
}

TEST(GoValuesTest, MapsHaveOneColonInEachItem) {
  EXPECT_TRUE(IsGoMap(""));
  EXPECT_TRUE(IsGoMap("a:b"));
  EXPECT_TRUE(IsGoMap("a:b,c:d"));
  EXPECT_FALSE(IsGoMap("a"));
  EXPECT_FALSE(IsGoMap("a:b,"));
  EXPECT_FALSE(IsGoMap("a:b:c"));
}

}  // namespace
}  // namespace weir::cli
