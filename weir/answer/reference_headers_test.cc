#include "weir/answer/reference_headers.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace weir {
namespace {

std::string Written(const std::vector<ReferenceStatus>& statuses,
                    const ReferenceHeaderNames& names = {}) {
  HeaderLines out;
  WriteReferenceHeaders(names, statuses, out);
  std::string text;
  for (const HeaderLine& line : out.lines()) {
    text += std::string(line.name) + "=" + std::string(line.value) + " ";
  }
  return text;
}

constexpr ReferenceStatus kLoose{true, false, 100, 40, 30};
constexpr ReferenceStatus kTight{true, false, 10, 4, 20};
constexpr ReferenceStatus kNone{};

TEST(ReferenceHeadersTest, DescribesTheLowestRemaining) {
  EXPECT_EQ(Written({kLoose, kNone, kTight}),
            "RateLimit-Limit=10 RateLimit-Remaining=4 RateLimit-Reset=20 ");
}

TEST(ReferenceHeadersTest, TakesTheFirstOfEquals) {
  EXPECT_EQ(Written({{true, false, 1, 4, 1}, {true, false, 2, 4, 2}}),
            "RateLimit-Limit=1 RateLimit-Remaining=4 RateLimit-Reset=1 ");
}

TEST(ReferenceHeadersTest, TheLastHardOverLimitDescriptorWins) {
  EXPECT_EQ(Written({{true, true, 1, 0, 1}, kTight, {true, true, 2, 0, 2}, kLoose}),
            "RateLimit-Limit=2 RateLimit-Remaining=0 RateLimit-Reset=2 ");
}

TEST(ReferenceHeadersTest, IsSilentWithoutAnyLimit) {
  EXPECT_EQ(Written({}), "");
  EXPECT_EQ(Written({kNone, kNone}), "");
}

TEST(ReferenceHeadersTest, UsesTheNamesItIsGiven) {
  EXPECT_EQ(Written({kTight}, {"X-L", "X-R", "X-T"}), "X-L=10 X-R=4 X-T=20 ");
}

TEST(ReferenceHeadersTest, HoldsTheLargestNumbers) {
  EXPECT_EQ(Written({{true, false, 4294967295U, 4294967295U, 31'536'000}}),
            "RateLimit-Limit=4294967295 RateLimit-Remaining=4294967295 RateLimit-Reset=31536000 ");
}

}  // namespace
}  // namespace weir
