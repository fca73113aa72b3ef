// One engine, several deciding threads, reloads beside them.

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "test/limiter_test_world.h"

namespace weir {
namespace {

constexpr std::size_t kDeciders = 2;
constexpr std::uint64_t kCalls = 5000;

std::vector<RuleNode> Rules() {
  return {NodeOf("user", "", 50), NodeOf("all", "", 2000)};
}

class LimiterThreadsTest : public testing::Test {
 protected:
  // Every decider asks for ten users in turn; returns how many calls passed, by user.
  void Decide(Limiter& limiter) {
    for (std::uint64_t i = 0; i < kCalls; ++i) {
      const std::string user = std::to_string(i % 10);
      const TestRequest request("shop", {{{"user", user}}, {{"all", "x"}}});
      if (limiter.Check(request.request(), kWorldStart).allowed()) ++admitted_.at(i % 10);
    }
  }
  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const auto& n : admitted_) sum += n.load();
    return sum;
  }

  std::array<std::atomic<std::uint64_t>, 10> admitted_{};
};

TEST_F(LimiterThreadsTest, C98_DecidersOfOneEngineShareEveryLimit) {
  MemoryStore store({.max_keys = 1000, .max_bytes = 0, .now = kWorldStart});
  Engine engine(store, {.limiters = kDeciders});
  engine.SetPolicy(Policy::Build({DomainOf("shop", Rules())}, {.seed = 42}));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kDeciders; ++t) {
    threads.emplace_back([&, t] {
      Limiter limiter(engine, t);
      Decide(limiter);
    });
  }
  for (std::thread& thread : threads) thread.join();
  // A racer may be denied for a unit that is then given back, but after so many calls none is left.
  for (const auto& n : admitted_) EXPECT_EQ(n.load(), 50U);

  const auto rules = engine.in_force().Get();
  const RuleTotals user = rules->counters.at(rules->policy->FindRule("shop/user")->index)->Totals();
  EXPECT_EQ(user.total_hits, kDeciders * kCalls);
  EXPECT_EQ(user.allowed.at(static_cast<std::size_t>(Basis::kStore)) +
                user.denied.at(static_cast<std::size_t>(Basis::kStore)),
            kDeciders * kCalls);
  EXPECT_EQ(engine.Loops().requests, kDeciders * kCalls);
}

TEST_F(LimiterThreadsTest, ReloadsBesideDecisionsLoseNoLevelAndNoCount) {
  MemoryStore store({.max_keys = 1000, .max_bytes = 0, .now = kWorldStart});
  Engine engine(store, {.limiters = kDeciders});
  engine.SetPolicy(Policy::Build({DomainOf("shop", Rules())}, {.seed = 42}));
  std::atomic<bool> stop{false};
  std::thread control([&] {
    for (std::uint64_t n = 0; !stop; ++n) {
      std::vector<RuleNode> rules = Rules();
      rules.insert(rules.begin(), NodeOf("n" + std::to_string(n % 3), "", 1));  // Moves the others.
      const auto before = engine.policy();
      engine.SetPolicy(
          Policy::Build({DomainOf("shop", std::move(rules))}, {.seed = 42}, before.get()));
      // Whoever looks at the counters does so meanwhile.
      const auto in_force = engine.in_force().Get();
      for (const auto& counters : in_force->counters)
        EXPECT_LE(counters->Totals().total_hits, 2 * kDeciders * kCalls);
      engine.Loops();
      engine.Named();
      std::this_thread::yield();
    }
  });
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kDeciders; ++t) {
    threads.emplace_back([&, t] {
      Limiter limiter(engine, t);
      Decide(limiter);
    });
  }
  for (std::thread& thread : threads) thread.join();
  stop = true;
  control.join();
  for (const auto& n : admitted_) EXPECT_EQ(n.load(), 50U);
  const auto rules = engine.in_force().Get();
  EXPECT_EQ(rules->counters.at(rules->policy->FindRule("shop/all")->index)->Totals().total_hits,
            kDeciders * kCalls);
  EXPECT_EQ(total(), 500U);
}

TEST_F(LimiterThreadsTest, NamesFromRequestsAreCountedByAllDeciders) {
  MemoryStore store({.max_keys = 1000, .max_bytes = 0, .now = kWorldStart});
  Engine engine(store, {.limiters = kDeciders});
  engine.SetPolicy(Policy::Build({DomainOf("shop", {})}, {.profile = Profile::kReference}));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kDeciders; ++t) {
    threads.emplace_back([&, t] {
      Limiter limiter(engine, t);
      for (int i = 0; i < 1000; ++i) {
        TestRequest own("shop", {{{"k", "v"}}});
        own.WithLimit(0, 10, Unit::kMinute);
        EXPECT_EQ(limiter.Check(own.request(), kWorldStart).limit, 10U);
        EXPECT_TRUE(
            limiter.Check(TestRequest("nowhere", {{{"k", "v"}}}).request(), kWorldStart).allowed());
        if (i % 100 == 0) engine.Named();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(engine.Named().at("shop.k_v").total_hits, kDeciders * 1000);
  EXPECT_EQ(engine.DomainsNotFound().at("nowhere"), kDeciders * 1000);
}

}  // namespace
}  // namespace weir
