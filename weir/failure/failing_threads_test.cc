// Several loops of one instance, each with its own connection, through an outage and back.

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "weir/failure/failing_rig.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

// One loop, with a clock of its own that runs as the others' do.
class Loop {
 public:
  Loop(FailureState& state, Store& shared, std::uint32_t number)
      : remote_(shared), store_(state, remote_, number) {}
  ~Loop() { remote_.Drop(); }

  int Run(const Hit& hit, Now now, int turns, Fault fault) {
    remote_.fault = fault;
    int passed = 0;
    AskedCheck check;
    for (int i = 0; i < turns; ++i) {
      check.hits.assign(1, hit);
      Check* const one[] = {&check};
      store_.Commit(one, now);
      do {
        now.steady += 500us;
        now.wall += 500us;
        store_.Poll(now);
      } while (check.pending);
      passed += check.passed() ? 1 : 0;
    }
    return passed;
  }

 private:
  ScriptedStore remote_;
  FailingStore store_;
};

TEST(FailingThreadsTest, LoopsShareOneShareAndOweItOnce) {
  LocalRig rig;
  MemoryStore shared({.max_keys = 1000, .now = kRigStart});
  FailureState state({.seed = 5, .now = kRigStart, .mirror_keys = 1000});
  const Hit hit = rig.HitOn(rig.NewRule(Algorithm::kFixedWindow, 300, 1h));
  std::vector<std::unique_ptr<Loop>> loops;
  for (std::uint32_t i = 0; i < 4; ++i) loops.push_back(std::make_unique<Loop>(state, shared, i));

  const auto run = [&](Duration at, Fault fault) {
    std::atomic<int> passed{0};
    std::vector<std::thread> threads;
    for (const auto& loop : loops) {
      threads.emplace_back([&, at, fault] {
        const Now now{.steady = kRigStart.steady + at, .wall = kRigStart.wall + at};
        passed += loop->Run(hit, now, 200, fault);
      });
    }
    for (std::thread& thread : threads) thread.join();
    return passed.load();
  };
  EXPECT_EQ(run(0s, Fault::kRefuse), 300);
  run(10s, Fault::kNone);
  run(20s, Fault::kNone);
  EXPECT_FALSE(state.node(0).breaker.Read().open);
  EXPECT_TRUE(state.ledger().empty());

  Check look;
  look.hits = {hit};
  look.hits[0].cost = 0;
  Check* const one[] = {&look};
  shared.Commit(one, {.steady = kRigStart.steady + 30s, .wall = kRigStart.wall + 30s});
  EXPECT_EQ(look.outcomes[0].used, 300U);
}

}  // namespace
}  // namespace weir
