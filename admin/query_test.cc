#include "admin/query.h"

#include <gtest/gtest.h>

namespace weir::admin {
namespace {

TEST(QueryTest, FindsTheFirstValueOfAName) {
  EXPECT_EQ(QueryValue("a=1&b=2&a=3", "a"), "1");
  EXPECT_EQ(QueryValue("a=1&b=2", "b"), "2");
  EXPECT_EQ(QueryValue("a=1", "c"), std::nullopt);
  EXPECT_EQ(QueryValue("ab=1", "a"), std::nullopt);
  EXPECT_EQ(QueryValue("", "a"), std::nullopt);
}

TEST(QueryTest, TakesANameWithoutValueAsEmpty) {
  EXPECT_EQ(QueryValue("usedonly&x=1", "usedonly"), "");
  EXPECT_TRUE(HasQuery("usedonly", "usedonly"));
  EXPECT_FALSE(HasQuery("x=usedonly", "usedonly"));
}

TEST(QueryTest, DecodesPercentAndPlus) {
  EXPECT_EQ(QueryValue("a=x%20y+z%26%3d=", "a"), "x y z&==");
}

TEST(QueryTest, RefusesBadEncoding) {
  for (const char* bad : {"a=%", "a=%4", "a=%zz", "a=x%2"}) {
    EXPECT_EQ(QueryValue(bad, "a"), std::nullopt) << bad;
  }
}

TEST(QueryTest, RefusesValuesThatAreTooLong) {
  EXPECT_TRUE(QueryValue("a=" + std::string(kLongestValue, 'x'), "a"));
  EXPECT_FALSE(QueryValue("a=" + std::string(kLongestValue + 1, 'x'), "a"));
}

}  // namespace
}  // namespace weir::admin
