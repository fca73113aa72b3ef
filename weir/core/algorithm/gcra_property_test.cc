#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "test/dice.h"
#include "weir/base/wide.h"
#include "weir/core/algorithm/gcra.h"
#include "weir/core/quota.h"

namespace weir {
namespace {

constexpr std::int64_t kTicks = Quota::kTicksPerNano;
constexpr Duration kDay = std::chrono::hours(24);
constexpr std::uint64_t kSpan = 1ULL << 56U;  // What `now` may reach, in ns: 2^62 ticks.

Quota AnyQuota(Dice& dice) {
  for (;;) {
    const auto window =
        static_cast<std::int64_t>(dice.Scaled(static_cast<std::uint64_t>(kShortestWindow.count()),
                                              static_cast<std::uint64_t>(kLongestWindow.count())));
    const auto made = MakeQuota({.limit = dice.Scaled(1, kLargestLimit),
                                 .window = Duration(window),
                                 .burst = dice.OneIn(2) ? 0 : dice.Scaled(1, kLargestLimit)});
    if (made.ok() && made.value().tolerance <= std::int64_t{1} << 61) return made.value();
  }
}

// A token bucket of the school book, with fractions kept exactly: tokens are counted in parts of
// 1/den, of which num grow in a nanosecond.  Shares no formula with gcra.cc.
class RationalBucket {
 public:
  RationalBucket(std::uint64_t num, std::uint64_t den, std::uint64_t burst)
      : num_(num), den_(den), cap_(static_cast<Wide>(burst) * den), parts_(cap_) {}

  bool Take(std::int64_t now, std::uint64_t cost) {
    Grow(now);
    if (static_cast<Wide>(cost) * den_ > parts_) return false;
    parts_ -= static_cast<Wide>(cost) * den_;
    return true;
  }
  void GiveBack(std::int64_t now, std::uint64_t cost) {
    Grow(now);
    parts_ = std::min(cap_, parts_ + static_cast<Wide>(cost) * den_);
  }
  std::uint64_t Tokens() const { return static_cast<std::uint64_t>(parts_ / den_); }
  Duration Until(std::uint64_t tokens) const { return Grown(static_cast<Wide>(tokens) * den_); }
  Duration UntilFull() const { return Grown(cap_); }

 private:
  void Grow(std::int64_t now) {
    parts_ = std::min(cap_, parts_ + static_cast<Wide>(now - last_) * num_);
    last_ = now;
  }
  Duration Grown(Wide want) const {
    if (want <= parts_) return {};
    return Duration(static_cast<std::int64_t>((want - parts_ + num_ - 1) / num_));
  }

  Wide num_;
  Wide den_;
  Wide cap_;
  Wide parts_;
  std::int64_t last_ = 0;
};

void ExpectSame(const Quota& quota, RationalBucket oracle, Dice& dice) {
  std::uint64_t state = 0;
  std::int64_t now = 0;
  for (int i = 0; i < 40; ++i) {
    now += static_cast<std::int64_t>(
        dice.OneIn(4) ? 0
                      : dice.Scaled(1, std::min(static_cast<std::uint64_t>(quota.window.count()),
                                                kSpan / 64)));
    const std::uint64_t cost = dice.Scaled(1, quota.burst);
    Step step;
    if (dice.OneIn(6)) {
      step = gcra::Refund(state, quota, now * kTicks, cost);
      oracle.GiveBack(now, cost);
    } else {
      step = gcra::Charge(state, quota, now * kTicks, cost);
      ASSERT_EQ(step.allowed, oracle.Take(now, cost));
      ASSERT_EQ(step.retry, step.allowed ? Duration{} : oracle.Until(cost));
    }
    ASSERT_EQ(step.reset, oracle.UntilFull());
    const std::uint64_t tokens = oracle.Tokens();
    ASSERT_EQ(gcra::Remaining(quota, step.used), tokens);
    ASSERT_EQ(gcra::RoomOf(quota, step.used).next,
              step.used == 0 ? Duration{} : oracle.Until(tokens + 1));
    state = step.state;
  }
}

TEST(GcraPropertyTest, EqualsARationalTokenBucketWhereTheIntervalIsWhole) {
  SCOPED_TRACE(SeedNote());
  Dice dice(1);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t limit = dice.Scaled(1, 1'000'000);
    const std::uint64_t nanos = dice.Scaled(1'000'000 / limit + 1, 1'000'000'000);
    const Quota quota = MakeQuota({.limit = limit,
                                   .window = Duration(static_cast<std::int64_t>(limit * nanos)),
                                   .burst = dice.Scaled(1, 1'000'000)})
                            .value();
    ExpectSame(quota,
               RationalBucket(limit, static_cast<std::uint64_t>(quota.window.count()), quota.burst),
               dice);
    if (HasFatalFailure()) return;
  }
}

TEST(GcraPropertyTest, EqualsARationalTokenBucketOfItsRoundedRateWithAnyQuota) {
  SCOPED_TRACE(SeedNote());
  Dice dice(2);
  for (int i = 0; i < 2000; ++i) {
    const Quota quota = AnyQuota(dice);
    ExpectSame(quota,
               RationalBucket(kTicks, static_cast<std::uint64_t>(quota.interval), quota.burst),
               dice);
    if (HasFatalFailure()) return;
  }
}

TEST(GcraPropertyTest, NeverAdmitsMoreThanBurstPlusRateTimesTime) {
  SCOPED_TRACE(SeedNote());
  Dice dice(3);
  struct Admitted {
    std::int64_t at;
    std::uint64_t cost;
  };
  for (int round = 0; round < 300; ++round) {
    const Quota quota = AnyQuota(dice);
    const auto window = static_cast<std::uint64_t>(quota.window.count());
    std::vector<Admitted> admitted;
    std::uint64_t state = 0;
    std::int64_t now = static_cast<std::int64_t>(dice.Between(0, 1'000'000'000));
    for (int i = 0; i < 200; ++i) {
      if (!dice.OneIn(3)) {
        now += static_cast<std::int64_t>(dice.Scaled(1, std::min(window / 8, kSpan / 256)));
      }
      const std::uint64_t cost =
          dice.Scaled(1, std::max<std::uint64_t>(quota.burst / dice.Scaled(1, 64), 1));
      const Step step = gcra::Charge(state, quota, now * kTicks, cost);
      state = step.state;
      if (step.allowed) admitted.push_back({.at = now, .cost = cost});
    }
    // Between any two admissions, not only since the start.
    for (std::size_t from = 0; from < admitted.size(); ++from) {
      Wide sum = 0;
      for (std::size_t to = from; to < admitted.size(); ++to) {
        sum += admitted.at(to).cost;
        const auto elapsed = static_cast<Wide>(admitted.at(to).at - admitted.at(from).at);
        ASSERT_TRUE(sum * window <= static_cast<Wide>(quota.burst) * window + elapsed * quota.limit)
            << "round " << round << ", from " << from << " to " << to;
      }
    }
  }
}

TEST(GcraPropertyTest, DeniesUntilThePromisedInstantAndAllowsAtIt) {
  SCOPED_TRACE(SeedNote());
  Dice dice(4);
  int denials = 0;
  for (int round = 0; round < 20'000; ++round) {
    const Quota quota = AnyQuota(dice);
    const auto now =
        static_cast<std::int64_t>(dice.Between(0, static_cast<std::uint64_t>(kDay.count())));
    const std::int64_t ticks = now * kTicks;
    const std::uint64_t state = static_cast<std::uint64_t>(ticks) +
                                dice.Between(0, static_cast<std::uint64_t>(quota.tolerance));
    const std::uint64_t cost = dice.OneIn(2) ? dice.Scaled(1, quota.burst) : 1;
    const Step step = gcra::Charge(state, quota, ticks, cost);
    if (step.allowed) {
      ASSERT_EQ(step.retry, Duration{});
      continue;
    }
    ++denials;
    ASSERT_GT(step.retry, Duration{});
    const auto allowed_after = [&](std::int64_t nanos) {
      return gcra::Charge(state, quota, (now + nanos) * kTicks, cost).allowed;
    };
    const std::int64_t promised = step.retry.count();
    ASSERT_TRUE(allowed_after(promised));
    ASSERT_FALSE(allowed_after(promised - 1));
    for (int i = 0; i < 8; ++i) {
      const auto some =
          static_cast<std::int64_t>(dice.Between(0, static_cast<std::uint64_t>(promised - 1)));
      ASSERT_FALSE(allowed_after(some));
    }
  }
  EXPECT_GT(denials, 2000);
}

TEST(GcraPropertyTest, PeeksChangeNothingCostsSumAndRefundsUndo) {
  SCOPED_TRACE(SeedNote());
  Dice dice(5);
  for (int round = 0; round < 5000; ++round) {
    const Quota quota = AnyQuota(dice);
    const std::int64_t now =
        static_cast<std::int64_t>(dice.Between(1, static_cast<std::uint64_t>(kDay.count()))) *
        kTicks;
    const auto full = static_cast<std::uint64_t>(now);
    const std::uint64_t state =
        full + dice.Between(0, static_cast<std::uint64_t>(quota.tolerance) / 2);
    ASSERT_EQ(gcra::Charge(state, quota, now, 0).state, state);
    ASSERT_TRUE(gcra::Charge(state, quota, now, 0).allowed);

    const std::uint64_t whole = dice.Scaled(1, quota.burst);
    const std::uint64_t part = dice.Between(1, whole);
    const Step at_once = gcra::Charge(state, quota, now, whole);
    const Step first = gcra::Charge(state, quota, now, part);
    if (at_once.allowed) {
      ASSERT_EQ(gcra::Charge(first.state, quota, now, whole - part).state, at_once.state);
      const Step back = gcra::Refund(at_once.state, quota, now, whole);
      ASSERT_EQ(back.used, state - full);
    }
    const Step refund = gcra::Refund(state, quota, now, dice.Scaled(1, ~std::uint64_t{0}));
    ASSERT_LE(refund.used, state - full);
    ASSERT_LE(gcra::Remaining(quota, refund.used), quota.burst);
  }
}

TEST(GcraPropertyTest, C67_WhoWaitsAsLongAsRetryAfterSaysIsAdmitted) {
  SCOPED_TRACE(SeedNote());
  Dice dice(6);
  const Quota quota = MakeQuota({.limit = 7, .unit = Unit::kMinute}).value();
  for (int run = 0; run < 1000; ++run) {
    std::int64_t now = static_cast<std::int64_t>(dice.Between(0, 120'000'000'000));
    std::uint64_t state = 0;
    Step step;
    while ((step = gcra::Charge(state, quota, now * kTicks, 1)).allowed) {
      state = step.state;
      now += static_cast<std::int64_t>(dice.Between(0, 100'000'000));
    }
    const std::int64_t header = CeilSeconds(step.retry);
    ASSERT_GE(header, 1);
    now += header * 1'000'000'000;
    ASSERT_TRUE(gcra::Charge(state, quota, now * kTicks, 1).allowed);
  }
}

TEST(GcraPropertyTest, StaysInRangeAtEveryBound) {
  std::vector<Quota> quotas;
  for (const Duration window : {kShortestWindow, Duration(std::chrono::seconds(1)), kDay,
                                Duration(365 * kDay), kLongestWindow}) {
    for (const std::uint64_t limit :
         {std::uint64_t{1}, std::uint64_t{10'000'000}, std::uint64_t{0xffff'ffff}, kLargestLimit}) {
      for (const std::uint64_t burst : {std::uint64_t{0}, std::uint64_t{1}, kLargestLimit}) {
        const auto made = MakeQuota({.limit = limit, .window = window, .burst = burst});
        if (made.ok()) quotas.push_back(made.value());
      }
    }
  }
  // The largest debt a quota may have, to the tick: 4 x 2^54 ns, less what rounding leaves.
  quotas.push_back(
      MakeQuota({.limit = 1, .window = Duration((std::int64_t{1} << 54) - 1), .burst = 4}).value());
  for (const Quota& quota : quotas) {
    for (const std::int64_t now :
         {std::int64_t{0}, std::int64_t{1}, 30 * kDay.count() * kTicks, std::int64_t{1} << 62}) {
      const Step all = gcra::Charge(0, quota, now, quota.burst);
      ASSERT_TRUE(all.allowed);
      ASSERT_EQ(gcra::Remaining(quota, all.used), 0U);
      const Step more = gcra::Charge(all.state, quota, now, 1);
      ASSERT_FALSE(more.allowed);
      ASSERT_GT(more.retry, Duration{});
      ASSERT_LE(more.retry, quota.window + Duration(1));
      ASSERT_EQ(gcra::Refund(all.state, quota, now, quota.burst).used, 0U);
    }
  }
}

}  // namespace
}  // namespace weir
