#include "net/connection_age.h"

#include <gtest/gtest.h>

namespace weir::net {
namespace {

using std::chrono::seconds;

constexpr std::uint64_t kMost = ~std::uint64_t{0};

TEST(ConnectionAgeTest, IsSpreadByATenthEitherWay) {
  EXPECT_EQ(AgeOf(seconds(60), 0), seconds(54));
  EXPECT_EQ(AgeOf(seconds(60), kMost / 2 + 1), seconds(60));
  EXPECT_EQ(AgeOf(seconds(60), kMost), seconds(66) - Duration(1));
}

TEST(ConnectionAgeTest, NeverStaysNever) {
  EXPECT_EQ(AgeOf(Duration(0), kMost), Duration(0));
}

TEST(ConnectionAgeTest, TheLongestAgeDoesNotOverflow) {
  EXPECT_GT(AgeOf(Duration::max(), 0), Duration::max() / 2);
  EXPECT_EQ(AgeOf(Duration::max(), kMost), Duration::max());
}

}  // namespace
}  // namespace weir::net
