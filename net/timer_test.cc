#include "net/timer.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/loop.h"
#include "weir/base/manual_clock.h"

namespace weir::net {
namespace {

using std::chrono::milliseconds;

class TimerTest : public testing::Test {
 protected:
  Instant At(int ms) { return Instant(milliseconds(ms)); }
  ManualClock clock_;
  Loop loop_{clock_};
  std::vector<int> fired_;
};

TEST_F(TimerTest, FiresInOrderAndNeverEarly) {
  std::vector<std::unique_ptr<Timer>> timers;
  for (int i = 0; i < 50; ++i) {
    const int ms = (i * 37) % 50;
    timers.push_back(std::make_unique<Timer>(loop_, [this, ms] { fired_.push_back(ms); }));
    timers.back()->Set(At(ms));
  }
  loop_.timers().Expire(At(9) - Duration(1));
  EXPECT_THAT(fired_, testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
  loop_.timers().Expire(At(100));
  EXPECT_EQ(fired_.size(), 50U);
  EXPECT_TRUE(std::is_sorted(fired_.begin(), fired_.end()));
  EXPECT_EQ(loop_.timers().earliest(), kNever);
}

TEST_F(TimerTest, ForgetsWhatIsCancelledMovedOrDestroyed) {
  Timer cancelled(loop_, [this] { fired_.push_back(1); });
  Timer moved(loop_, [this] { fired_.push_back(2); });
  auto destroyed = std::make_unique<Timer>(loop_, [this] { fired_.push_back(3); });
  cancelled.Set(At(1));
  moved.Set(At(2));
  destroyed->Set(At(3));
  cancelled.Cancel();
  moved.Set(At(20));
  destroyed.reset();
  loop_.timers().Expire(At(10));
  EXPECT_THAT(fired_, testing::IsEmpty());
  EXPECT_EQ(loop_.timers().earliest(), At(20));
}

TEST_F(TimerTest, ATimerThatSetsItselfToThePastDoesNotHoldTheTurn) {
  Timer* self = nullptr;
  Timer again(loop_, [&] {
    fired_.push_back(1);
    self->Set(At(0));
  });
  self = &again;
  again.Set(At(0));
  loop_.timers().Expire(At(1));
  EXPECT_EQ(fired_.size(), 1U);
}

TEST_F(TimerTest, MayDestroyItselfInItsCallback) {
  std::unique_ptr<Timer> timer;
  timer = std::make_unique<Timer>(loop_, [&] { timer.reset(); });
  timer->Set(At(0));
  loop_.timers().Expire(At(1));
  EXPECT_EQ(timer, nullptr);
}

}  // namespace
}  // namespace weir::net
