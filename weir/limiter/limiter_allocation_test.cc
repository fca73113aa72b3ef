// No decision allocates once its buffers have grown.  An executable of its own: it replaces the
// global operator new with one that counts.

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "test/limiter_test_world.h"

namespace {

std::atomic<std::uint64_t> allocations{0};

void* Allocate(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  std::abort();
}
void* AllocateAligned(std::size_t size, std::align_val_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const auto unit = static_cast<std::size_t>(alignment);
  if (void* const memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return memory;
  std::abort();
}

}  // namespace

// The array forms call these.
void* operator new(std::size_t size) {
  return Allocate(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return AllocateAligned(size, alignment);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr int kWarmUp = 200;  // Meets every user, so that every name in metrics is known.

// Allocations in `turns` calls of `decide`, after some calls to warm up.
template <typename Decide>
std::uint64_t AllocationsIn(const Decide& decide, int turns = 1000) {
  for (int i = 0; i < kWarmUp; ++i) decide(i);
  const std::uint64_t before = allocations.load();
  for (int i = 0; i < turns; ++i) decide(i);
  return allocations.load() - before;
}

std::vector<RuleNode> Rules() {
  RuleNode sliding = Bucket(
      "s", "", {.algorithm = Algorithm::kSlidingWindow, .limit = 100, .unit = Unit::kMinute});
  RuleNode percent = NodeOf("e", "", 10);
  percent.rule->enforce_percent = 50;
  RuleNode replacing = NodeOf("r", "", 10);
  replacing.rule->replaces = {"base"};
  RuleNode base = NodeOf("b", "", 10);
  base.rule->name = "base";
  return {NodeOf("k", "", 10), InShadow(NodeOf("q", "", 1)), sliding, percent, replacing, base,
          Fixed("f", "", 100)};
}

// Every kind of descriptor at once, of a user out of many.
class AllocationTest : public testing::Test {
 protected:
  static constexpr std::size_t kUsers = 64;

  AllocationTest() {
    for (std::size_t i = 0; i < kUsers; ++i) users_.at(i) = "user" + std::to_string(i);
  }
  Request RequestOf(int i) {
    const std::string& user = users_.at(static_cast<std::size_t>(i) % kUsers);
    for (std::size_t d = 0; d < kKeys.size(); ++d) {
      entries_.at(d) = {kKeys.at(d), user};
      descriptors_.at(d) = {.entries = {&entries_.at(d), 1}};
    }
    descriptors_[0].limit = LimitOverride{.requests_per_unit = 7, .unit = Unit::kHour};
    descriptors_[1].cost = 3;
    return {"shop", descriptors_};
  }

  static constexpr std::array<std::string_view, 8> kKeys = {"k", "q", "s", "e",
                                                            "r", "b", "f", "unmatched"};
  std::array<std::string, kUsers> users_;
  std::array<Entry, 8> entries_;
  std::array<Descriptor, 8> descriptors_;
};

TEST_F(AllocationTest, TheCountOfAllocationsWorks) {
  EXPECT_EQ(AllocationsIn([](int) { std::make_unique<int>(1); }), 1000U);
}

TEST_F(AllocationTest, ABlockingCheckAllocatesNothing) {
  for (const Profile profile : {Profile::kNative, Profile::kReference}) {
    LimiterWorld world(Rules(), profile);
    int denied = 0;
    EXPECT_EQ(AllocationsIn([&](int i) {
                denied += world.limiter().Check(RequestOf(i), kWorldStart).allowed() ? 0 : 1;
              }),
              0U);
    EXPECT_GT(denied, 0);
  }
}

TEST_F(AllocationTest, ARememberedDenialAllocatesNothing) {
  for (const Profile profile : {Profile::kNative, Profile::kReference}) {
    EngineOptions options;
    options.held_denials = 1000;
    LimiterWorld world(Rules(), profile, options);
    EXPECT_EQ(AllocationsIn([&](int i) {
                static_cast<void>(world.limiter().Check(RequestOf(i), kWorldStart));
              }),
              0U);
    EXPECT_GT(world.engine().Loops().held_hits, 0U);
  }
}

TEST_F(AllocationTest, KeysAndValuesInMetricsAllocateNothing) {
  std::vector<RuleNode> rules = Rules();
  rules[0].rule->detailed_metric = true;
  for (const Profile profile : {Profile::kNative, Profile::kReference}) {
    LimiterWorld world(rules, profile, {.keys = true, .key_prefix = "prefix:"});
    EXPECT_EQ(AllocationsIn([&](int i) {
                static_cast<void>(world.limiter().Check(RequestOf(i), kWorldStart));
              }),
              0U);
  }
}

TEST_F(AllocationTest, ABatchAllocatesNothing) {
  LimiterWorld world(Rules());
  Limiter& limiter = world.limiter();
  std::array<Check, 16> checks;
  std::array<Check*, 16> batch{};
  for (std::size_t i = 0; i < batch.size(); ++i) batch.at(i) = &checks.at(i);
  std::vector<DescriptorStatus> statuses;
  Now now = kWorldStart;
  EXPECT_EQ(AllocationsIn([&](int turn) {
              now.steady += 1ms;
              now.wall += 1ms;
              limiter.BeginTurn();
              for (int i = 0; i < 16; ++i) {
                limiter.Match(RequestOf(turn + i), now, *batch.at(static_cast<std::size_t>(i)));
              }
              limiter.Commit(batch, now);
              for (Check& check : checks) {
                static_cast<void>(limiter.Settle(check));
                StatusesOf(check, statuses);
              }
              limiter.Poll(now);
            }),
            0U);
}

TEST_F(AllocationTest, StartAllocatesNothingForACallbackOfTwoWords) {
  LimiterWorld world(Rules());
  int answers = 0;
  EXPECT_EQ(AllocationsIn([&](int i) {
              world.limiter().Start(RequestOf(i), kWorldStart,
                                    [&answers](const Decision&) { ++answers; });
            }),
            0U);
  EXPECT_EQ(answers, 1000 + kWarmUp);
}

TEST_F(AllocationTest, AReloadCostsTheDecidersNothingButItsPickUp) {
  LimiterWorld world(Rules());
  static_cast<void>(world.limiter().Check(RequestOf(0), kWorldStart));
  world.Load(Rules());
  EXPECT_EQ(AllocationsIn([&](int i) {
              static_cast<void>(world.limiter().Check(RequestOf(i), kWorldStart));
            }),
            0U);
}

}  // namespace
}  // namespace weir
