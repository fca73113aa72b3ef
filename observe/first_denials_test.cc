#include "observe/first_denials.h"

#include <gtest/gtest.h>

namespace weir::observe {
namespace {

constexpr Instant kStart{std::chrono::seconds(120)};

TEST(FirstDenialsTest, TellsTheFirstOfEachCounterInEachMinute) {
  FirstDenials firsts;
  EXPECT_TRUE(firsts.Note(1, kStart));
  EXPECT_FALSE(firsts.Note(1, kStart));
  EXPECT_TRUE(firsts.Note(2, kStart));
  EXPECT_FALSE(firsts.Note(1, kStart + std::chrono::seconds(59)));
  EXPECT_TRUE(firsts.Note(1, kStart + std::chrono::seconds(60)));
  EXPECT_FALSE(firsts.Note(1, kStart + std::chrono::seconds(61)));
}

TEST(FirstDenialsTest, WorksFromTheFirstInstantOfTheClock) {
  FirstDenials firsts;
  EXPECT_TRUE(firsts.Note(1, Instant{}));
  EXPECT_FALSE(firsts.Note(1, Instant{}));
}

TEST(FirstDenialsTest, BeyondItsBoundItRepeatsButNeverMisses) {
  FirstDenials firsts;
  for (std::uint64_t id = 1; id <= 10 * FirstDenials::kMost; ++id) {
    EXPECT_TRUE(firsts.Note(id, kStart)) << id;
  }
  EXPECT_TRUE(firsts.Note(1, kStart)) << "forgotten";
}

}  // namespace
}  // namespace weir::observe
