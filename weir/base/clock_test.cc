#include "weir/base/clock.h"

#include <gtest/gtest.h>

#include "weir/base/manual_clock.h"
#include "weir/base/system_clock.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

TEST(ClockTest, WholeSecondsRoundDownForInstantsAndUpForWaits) {
  EXPECT_EQ(UnixSeconds(WallTime(1999ms)), 1);
  EXPECT_EQ(UnixSeconds(WallTime(-1ms)), -1);
  EXPECT_EQ(CeilSeconds(1ns), 1);
  EXPECT_EQ(CeilSeconds(1s), 1);
  EXPECT_EQ(CeilSeconds(0ns), 0);
}

TEST(ClockTest, AManualClockStepsItsWallWithoutMovingItsSteadyTime) {
  ManualClock clock;
  clock.Advance(5s);
  clock.StepWall(-2s);
  EXPECT_EQ(clock.Read().steady, Instant(5s));
  EXPECT_EQ(clock.Read().wall, WallTime(3s));
}

TEST(ClockTest, TheSystemClockNeverRunsBackwardsInSteadyTime) {
  const SystemClock clock;
  const Now first = clock.Read();
  const Now second = clock.Read();
  EXPECT_GE(second.steady, first.steady);
  EXPECT_GT(UnixSeconds(first.wall), 1'700'000'000);
}

}  // namespace
}  // namespace weir
