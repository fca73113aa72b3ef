#include "net/loop.h"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/loop_thread.h"
#include "net/watch.h"
#include "weir/base/manual_clock.h"
#include "weir/base/system_clock.h"

namespace weir::net {
namespace {

using std::chrono::milliseconds;

class CountingClock final : public Clock {
 public:
  Now Read() const override {
    ++reads;
    return {Instant(Duration(reads)), WallTime(Duration(reads))};
  }
  mutable int reads = 0;
};

TEST(LoopTest, OneTurnSeesOneTime) {
  CountingClock clock;
  Loop loop(clock);
  std::vector<Now> seen;
  for (int i = 0; i < 3; ++i) {
    loop.Post([&] { seen.push_back(loop.now()); });
  }
  loop.Post([&] { loop.Stop(); });
  loop.Run();
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_EQ(seen[0], seen[2]);
}

TEST(LoopTest, RunsATurnInItsFixedOrder) {
  ManualClock clock;
  Loop loop(clock);
  std::vector<std::string> order;
  struct Last final : TurnEndTask {
    std::vector<std::string>* order = nullptr;
    void OnTurnEnd() override { order->push_back("send"); }
  } last;
  last.order = &order;
  const TurnHook start(loop, TurnHook::When::kStart, [&] { order.push_back("start"); });
  const TurnHook end(loop, TurnHook::When::kEnd, [&] { order.push_back("end"); });
  Timer timer(loop, [&] { order.push_back("timer"); });
  timer.Set(Instant(milliseconds(1)));
  clock.Advance(milliseconds(1));
  loop.Post([&] {
    order.push_back("work");
    loop.AtTurnEnd(last);
    loop.AtTurnEnd(last);
    loop.Stop();
  });
  loop.Run();
  ASSERT_GE(order.size(), 5U);
  order.resize(5);
  EXPECT_THAT(order, testing::ElementsAre("start", "work", "timer", "end", "send"));
}

TEST(LoopTest, TimersWakeTheLoopAndAreNotEarly) {
  const SystemClock clock;
  Loop loop(clock);
  const Instant due = clock.Read().steady + milliseconds(3);
  Instant fired{};
  Timer timer(loop, [&] {
    fired = loop.now().steady;
    loop.Stop();
  });
  timer.Set(due);
  loop.Run();
  EXPECT_GE(fired, due);
}

TEST(LoopTest, AStopBeforeTheRunIsNotLost) {
  const SystemClock clock;
  Loop loop(clock);
  loop.Stop();
  loop.Run();
}

TEST(LoopTest, TakesWorkFromOtherThreadsInOrder) {
  const SystemClock clock;
  LoopThread thread(clock);
  std::vector<int> got;
  for (int i = 0; i < 100; ++i) thread.loop().Post([&got, i] { got.push_back(i); });
  bool inside = false;
  thread.Call([&] { inside = thread.loop().on_loop_thread(); });
  EXPECT_TRUE(inside);
  EXPECT_FALSE(thread.loop().on_loop_thread());
  ASSERT_EQ(got.size(), 100U);
  EXPECT_TRUE(std::is_sorted(got.begin(), got.end()));
}

TEST(LoopTest, MeasuresItsTurns) {
  ManualClock clock;
  Loop loop(clock);
  loop.Post([&] {
    loop.now();
    clock.Advance(milliseconds(7));
    loop.Stop();
  });
  loop.Run();
  EXPECT_EQ(loop.longest_turn(), milliseconds(7));
  EXPECT_GE(loop.turns(), 1U);
}

TEST(LoopTest, SeesSocketsAndSignals) {
  const SystemClock clock;
  Loop loop(clock);
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
  struct Reader final : SocketObserver {
    void OnReady(bool readable, bool) override {
      if (!readable) return;
      char byte = 0;
      ASSERT_EQ(read(fd, &byte, 1), 1);
      raise(SIGUSR1);
    }
    int fd = -1;
  } reader;
  reader.fd = pair[0];
  SocketWatch watch(loop, pair[0], reader);
  watch.Want(true, false);
  const SignalWatch signal(loop, SIGUSR1, [&] { loop.Stop(); });
  ASSERT_EQ(write(pair[1], "x", 1), 1);
  loop.Run();
  close(pair[0]);
  close(pair[1]);
}

}  // namespace
}  // namespace weir::net
