#include "observe/civil_date.h"

#include <gtest/gtest.h>

namespace weir::observe {
namespace {

std::string Timestamp(std::int64_t ms) {
  std::string out;
  AppendTimestamp(WallTime(std::chrono::milliseconds(ms)), out);
  return out;
}

TEST(CivilDateTest, WritesTimestampsInUtcWithMilliseconds) {
  EXPECT_EQ(Timestamp(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(Timestamp(1'768'399'351'481), "2026-01-14T14:02:31.481Z");
  EXPECT_EQ(Timestamp(951'868'799'999), "2000-02-29T23:59:59.999Z");
  EXPECT_EQ(Timestamp(-1), "1969-12-31T23:59:59.999Z");
}

TEST(CivilDateTest, WritesTheDayAlone) {
  EXPECT_EQ(DateOf(WallTime(std::chrono::seconds(1'768'399'351))), "2026-01-14");
}

TEST(CivilDateTest, WritesTheEndsOfTimeWithoutHarm) {
  EXPECT_EQ(DateOf(WallTime::max()).size(), 10U);
  EXPECT_EQ(DateOf(WallTime::min()).size(), 10U);
}

}  // namespace
}  // namespace weir::observe
