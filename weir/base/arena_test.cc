#include "weir/base/arena.h"

#include <string>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(ArenaTest, CopiesStayPutWhileItGrows) {
  Arena arena;
  const std::string_view first = arena.Copy("first");
  for (int i = 0; i < 1000; ++i) arena.Copy(std::string(100, 'x'));
  EXPECT_EQ(first, "first");
}

TEST(ArenaTest, AfterAResetTheSameRequestFitsTheSameBlock) {
  Arena arena;
  for (int i = 0; i < 3; ++i) arena.Copy(std::string(900, 'x'));
  arena.Reset();
  const char* const first = arena.Take(2700);
  arena.Reset();
  EXPECT_EQ(arena.Take(2700), first);
}

TEST(ArenaTest, AHugeRequestGivesItsMemoryBack) {
  Arena arena;
  arena.Copy(std::string(10, 'x'));
  arena.Copy(std::string(1 << 20, 'x'));
  arena.Reset();
  EXPECT_EQ(arena.capacity(), Arena::kBlock);
}

}  // namespace
}  // namespace weir
