#include <algorithm>
#include <cstdint>
#include <map>

#include <gtest/gtest.h>

#include "test/dice.h"
#include "weir/base/wide.h"
#include "weir/core/algorithm/sliding_window.h"
#include "weir/core/quota.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

// The two-window estimate from a ledger of all windows, straight from its definition: fractions
// are kept over the window's length, waits are found by trying.
class Ledger {
 public:
  Ledger(std::uint64_t limit, std::int64_t length) : limit_(limit), length_(length) {}

  std::uint64_t& CountAt(std::int64_t now) { return counts_[now / length_]; }

  // The estimate times the window's length.
  Wide Scaled(std::int64_t now) const {
    const std::int64_t number = now / length_;
    const auto overlap = static_cast<Wide>(length_ - now % length_);
    return Of(number - 1) * overlap + Of(number) * static_cast<Wide>(length_);
  }
  bool Fits(std::int64_t now, std::uint64_t cost) const {
    return Scaled(now) + static_cast<Wide>(cost) * static_cast<Wide>(length_) <=
           static_cast<Wide>(limit_) * static_cast<Wide>(length_);
  }
  // The first moment at or after `now` at which `cost` fits, by trying each.
  std::int64_t FirstFit(std::int64_t now, std::uint64_t cost) const {
    while (!Fits(now, cost)) ++now;
    return now;
  }
  std::uint64_t Estimate(std::int64_t now) const {
    const auto length = static_cast<Wide>(length_);
    return static_cast<std::uint64_t>((Scaled(now) + length - 1) / length);
  }

 private:
  Wide Of(std::int64_t number) const {
    const auto found = counts_.find(number);
    return found == counts_.end() ? 0 : found->second;
  }

  std::uint64_t limit_;
  std::int64_t length_;
  std::map<std::int64_t, std::uint64_t> counts_;
};

std::uint64_t StateOf(const Quota& quota, std::int64_t number, std::uint64_t count) {
  const WallTime end((number + 1) * quota.window);
  return WindowState(WindowState::NameOf(end, WindowState::Log2Of(quota)), count).bits();
}

// A window of a few nanoseconds, far below what MakeQuota() admits, so that every moment of it can
// be tried; the arithmetic does not know the difference.
Quota TinyQuota(Dice& dice) {
  Quota quota;
  quota.algorithm = Algorithm::kSlidingWindow;
  quota.window = Duration(static_cast<std::int64_t>(dice.Between(2, 97)));
  quota.limit = dice.Between(1, 30);
  quota.burst = quota.limit;
  return quota;
}

TEST(SlidingWindowPropertyTest, WaitsEqualThoseFoundByTryingEveryMoment) {
  SCOPED_TRACE(SeedNote());
  Dice dice(40);
  for (int round = 0; round < 20'000; ++round) {
    const Quota quota = TinyQuota(dice);
    const std::int64_t length = quota.window.count();
    const auto number = static_cast<std::int64_t>(dice.Between(1, 100'000));
    const std::int64_t now = number * length + static_cast<std::int64_t>(dice.Between(
                                                   0, static_cast<std::uint64_t>(length) - 1));
    const std::uint64_t p = dice.Between(0, quota.limit + 5);
    const std::uint64_t c = dice.Between(0, quota.limit + 5);
    Ledger ledger(quota.limit, length);
    ledger.CountAt((number - 1) * length) = p;
    ledger.CountAt(number * length) = c;
    const std::uint64_t previous = StateOf(quota, number - 1, p);
    const std::uint64_t current = StateOf(quota, number, c);
    for (std::uint64_t cost = 1; cost <= quota.limit; ++cost) {
      const Step step =
          sliding_window::Charge(previous, current, quota, WallTime(Duration(now)), cost);
      ASSERT_EQ(step.retry.count(), ledger.FirstFit(now, cost) - now)
          << "P " << p << " C " << c << " L " << quota.limit << " W " << length << " e "
          << now % length << " n " << cost;
      ASSERT_EQ(step.allowed, step.retry == 0ns);
    }
    const Step peek = sliding_window::Charge(previous, current, quota, WallTime(Duration(now)), 0);
    ASSERT_EQ(peek.used, ledger.Estimate(now));
    ASSERT_EQ(peek.state, current);
    const std::uint64_t remaining = quota.limit - std::min(quota.limit, peek.used);
    ASSERT_EQ(peek.next.count(),
              remaining == quota.limit ? 0 : ledger.FirstFit(now, remaining + 1) - now);
  }
}

TEST(SlidingWindowPropertyTest, AgreesWithALedgerAndNeverPassesTheLimit) {
  SCOPED_TRACE(SeedNote());
  Dice dice(41);
  int denials = 0;
  for (int round = 0; round < 500; ++round) {
    const auto length = static_cast<std::int64_t>(dice.Scaled(1'000'000, 31'622'400'000'000'000));
    const Quota quota = MakeQuota({.algorithm = Algorithm::kSlidingWindow,
                                   .limit = dice.Scaled(1, kLargestLimit),
                                   .window = Duration(length)})
                            .value();
    Ledger ledger(quota.limit, length);
    std::uint64_t states[2] = {0, 0};
    auto now = static_cast<std::int64_t>(
        dice.Between(static_cast<std::uint64_t>(length) + 1, 1'800'000'000'000'000'000));
    for (int i = 0; i < 200; ++i) {
      now += static_cast<std::int64_t>(
          dice.OneIn(3) ? 0 : dice.Scaled(1, static_cast<std::uint64_t>(length) / 4));
      std::uint64_t& current = states[(now / length) % 2];
      const std::uint64_t previous = states[(now / length + 1) % 2];
      const WallTime at{Duration(now)};
      const std::uint64_t cost = dice.Scaled(1, quota.limit);
      if (dice.OneIn(8)) {
        std::uint64_t& count = ledger.CountAt(now);
        count -= std::min(count, cost);
        current = sliding_window::Refund(previous, current, quota, at, cost, {}).state;
        continue;
      }
      const Step step = sliding_window::Charge(previous, current, quota, at, cost);
      ASSERT_EQ(step.allowed, ledger.Fits(now, cost));
      if (step.allowed) {
        ledger.CountAt(now) += cost;
        current = step.state;
      } else {
        ++denials;
        ASSERT_EQ(step.state, current);
        ASSERT_TRUE(ledger.Fits(now + step.retry.count(), cost));
        ASSERT_FALSE(ledger.Fits(now + step.retry.count() - 1, cost));
        ASSERT_FALSE(ledger.Fits(now + step.retry.count() / 2, cost));
      }
      ASSERT_EQ(step.used, ledger.Estimate(now));
      ASSERT_LE(step.used, quota.limit);
    }
  }
  EXPECT_GT(denials, 5000);
}

TEST(SlidingWindowPropertyTest, C67_WhoWaitsAsLongAsRetryAfterSaysIsAdmitted) {
  SCOPED_TRACE(SeedNote());
  Dice dice(42);
  const Quota quota =
      MakeQuota({.algorithm = Algorithm::kSlidingWindow, .limit = 7, .window = 10s}).value();
  for (int run = 0; run < 1000; ++run) {
    std::uint64_t states[2] = {0, 0};
    auto now = static_cast<std::int64_t>(dice.Between(20'000'000'000, 90'000'000'000));
    const auto charge = [&] {
      const auto i = static_cast<std::size_t>(now / 10'000'000'000 % 2);
      const Step step =
          sliding_window::Charge(states[1 - i], states[i], quota, WallTime(Duration(now)), 1);
      states[i] = step.state;
      return step;
    };
    Step step;
    while ((step = charge()).allowed) {
      now += static_cast<std::int64_t>(dice.Between(0, 1'000'000'000));
    }
    const std::int64_t header = CeilSeconds(step.retry);
    ASSERT_GE(header, 1);
    now += header * 1'000'000'000;
    ASSERT_TRUE(charge().allowed);
  }
}

TEST(SlidingWindowPropertyTest, StaysInRangeAtEveryBound) {
  for (const Duration window : {kShortestWindow, Duration(365 * 24h), kLongestWindow}) {
    for (const std::uint64_t limit :
         {std::uint64_t{1}, std::uint64_t{0xffff'ffff}, kLargestLimit}) {
      const Quota quota =
          MakeQuota({.algorithm = Algorithm::kSlidingWindow, .limit = limit, .window = window})
              .value();
      const std::int64_t number = Duration(50 * 365 * 24h) / window;
      const std::uint64_t previous = StateOf(quota, number - 1, WindowState::kMostCount);
      const std::uint64_t current = StateOf(quota, number, WindowState::kMostCount);
      const WallTime now(number * window + 1ns);
      const Step step = sliding_window::Charge(previous, current, quota, now, 1);
      ASSERT_FALSE(step.allowed);
      ASSERT_GT(step.retry, 0ns);
      ASSERT_LE(step.retry, 2 * window);
      ASSERT_EQ(step.reset, 2 * window - 1ns);
    }
  }
}

}  // namespace
}  // namespace weir
