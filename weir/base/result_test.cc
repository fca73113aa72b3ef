#include "weir/base/result.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace weir {
namespace {

Result<int, std::string> Half(int n) {
  if (n % 2 != 0) return std::string("odd");
  return n / 2;
}

TEST(ResultTest, HoldsTheValueOrTheReason) {
  ASSERT_TRUE(Half(4).ok());
  EXPECT_EQ(*Half(4), 2);
  ASSERT_FALSE(Half(3));
  EXPECT_EQ(Half(3).error(), "odd");
}

TEST(ResultTest, MovesOutWhatCannotBeCopied) {
  Result<std::unique_ptr<int>, std::string> r(std::make_unique<int>(7));
  const std::unique_ptr<int> taken = *std::move(r);
  EXPECT_EQ(*taken, 7);
}

}  // namespace
}  // namespace weir
