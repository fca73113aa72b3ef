// The counting scripts in a real server against the C++ steps and the memory store, at ticks that
// the test chooses.

#include <algorithm>

#include "redis/script_rig.h"
#include "test/dice.h"

namespace weir::redis {
namespace {

QuotaSpec AnyQuota(Dice& dice) {
  for (;;) {
    QuotaSpec spec;
    spec.algorithm = static_cast<Algorithm>(dice.Between(0, 2));
    spec.limit = dice.OneIn(20)  ? 0
                 : dice.OneIn(3) ? dice.Between(1, 6)
                                 : dice.Scaled(1, kLargestLimit);
    spec.window = std::chrono::microseconds(dice.Scaled(1000, 40'000'000'000));
    if (spec.algorithm == Algorithm::kTokenBucket && spec.limit > 0 && dice.OneIn(2)) {
      spec.burst = dice.Scaled(1, 1000);
    }
    if (spec.algorithm == Algorithm::kFixedWindow && dice.OneIn(6)) {
      spec.unit = Unit::kMonth;
      spec.calendar = true;
    }
    const auto quota = MakeQuota(spec);
    if (quota.ok() && FitsSharedStore(*quota)) return spec;
  }
}

std::uint64_t AnyCost(Dice& dice, const Quota& quota) {
  if (dice.OneIn(8)) return 0;
  if (dice.OneIn(50)) return ~std::uint64_t{0};
  if (quota.capacity() < 2 || dice.OneIn(2)) return dice.Between(1, 2);
  return dice.Scaled(1, quota.capacity() + 1);
}

// How far the clock goes between two batches, as rules of about this size like to be asked.
std::int64_t AnyStep(Dice& dice, const Quota& quota) {
  const auto window = static_cast<std::uint64_t>(quota.window.count() / 1000);
  const auto micros = static_cast<std::int64_t>(dice.OneIn(3) ? 0 : dice.Scaled(1, 2 * window));
  return micros * SharedTicks::kPerMicro;
}

TEST_F(ScriptTest, SingleHitsEqualTheMemoryStoreOnRandomHistories) {
  SCOPED_TRACE(SeedNote());
  Dice dice(41);
  std::int64_t tick = 1000 * kTicksPerSecond;
  for (int round = 0; round < 300 && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    always_general_ = dice.OneIn(3);
    const Twin& twin = NewRule(AnyQuota(dice));
    for (int batch = 0; batch < 25 && !HasFailure(); ++batch) {
      std::vector<std::unique_ptr<Check>> checks;
      for (std::uint64_t i = dice.Between(1, 20); i > 0; --i) {
        checks.push_back(NewCheck({HitOn(twin, static_cast<int>(dice.Between(0, 2)),
                                         AnyCost(dice, twin.written.quota))}));
      }
      ChargeBoth(checks, tick);
      tick += AnyStep(dice, twin.written.quota);
    }
  }
}

TEST_F(ScriptTest, GroupsEqualTheMemoryStoreOnRandomHistories) {
  SCOPED_TRACE(SeedNote());
  Dice dice(42);
  std::int64_t tick = 1000 * kTicksPerSecond;
  for (int round = 0; round < 200 && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    std::vector<const Twin*> twins;
    for (int i = 0; i < 4; ++i) twins.push_back(&NewRule(AnyQuota(dice)));
    for (int batch = 0; batch < 25 && !HasFailure(); ++batch) {
      std::vector<std::unique_ptr<Check>> checks;
      for (std::uint64_t i = dice.Between(1, 6); i > 0; --i) {
        std::vector<Hit> hits;
        const bool each = dice.OneIn(4);
        const bool repeats = dice.OneIn(4);
        for (std::uint64_t n = dice.Between(1, 4); n > 0; --n) {
          const Twin& twin = *twins[repeats ? 0 : hits.size()];
          Hit hit =
              HitOn(twin, static_cast<int>(dice.Between(0, 1)), AnyCost(dice, twin.written.quota));
          hit.refund = !repeats && dice.OneIn(8);
          if (hit.refund && dice.OneIn(2)) {
            hit.charged = SharedTicks::WallOf(tick) - twin.written.quota.window / 2;
          }
          if (!each && dice.OneIn(4)) hit.not_enforced = NotEnforced::kShadow;
          hits.push_back(hit);
        }
        std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) {
          return a.not_enforced == NotEnforced::kNo && b.not_enforced != NotEnforced::kNo;
        });
        checks.push_back(
            NewCheck(std::move(hits), each ? Charging::kEach : Charging::kAllOrNothing));
      }
      ChargeBoth(checks, tick);
      tick += AnyStep(dice, twins[dice.Between(0, 3)]->written.quota);
    }
  }
}

TEST_F(ScriptTest, C37_AClockSteppedBackCountsAsTheMemoryStoreDoes) {
  SCOPED_TRACE(SeedNote());
  Dice dice(43);
  std::int64_t tick = 100'000 * kTicksPerSecond;
  for (int round = 0; round < 100 && !HasFailure(); ++round) {
    QuotaSpec spec = AnyQuota(dice);
    spec.unit = Unit::kUnknown;
    spec.calendar = false;
    spec.window = std::chrono::seconds(dice.Between(1, 100));
    if (!MakeQuota(spec).ok() || !FitsSharedStore(MakeQuota(spec).value())) continue;
    const Twin& twin = NewRule(spec);
    for (int i = 0; i < 40 && !HasFailure(); ++i) {
      ChargeOne({HitOn(twin, 0, AnyCost(dice, twin.written.quota))}, tick);
      const std::int64_t step = AnyStep(dice, twin.written.quota);
      tick += dice.OneIn(3) ? -step : step;
    }
    tick = std::max(tick, 100'000 * kTicksPerSecond);
  }
}

TEST_F(ScriptTest, LevelsCarriedToAChangedQuotaEqualTheMemoryStore) {
  SCOPED_TRACE(SeedNote());
  Dice dice(44);
  slack_ = 63;  // A scaled bucket may differ by one tick of 62.5 ns.
  std::int64_t tick = 1000 * kTicksPerSecond;
  for (int round = 0; round < 200 && !HasFailure(); ++round) {
    QuotaSpec from = AnyQuota(dice);
    QuotaSpec to = AnyQuota(dice);
    from.limit = std::min<std::uint64_t>(from.limit, 1'000'000);
    to.limit = std::min<std::uint64_t>(to.limit, 1'000'000);
    if (!MakeQuota(from).ok() || !FitsSharedStore(MakeQuota(from).value()) || !MakeQuota(to).ok() ||
        !FitsSharedStore(MakeQuota(to).value()) ||
        MakeQuota(from).value() == MakeQuota(to).value()) {
      continue;
    }
    const Twin& old = NewRule(from);
    for (int i = 0; i < 6; ++i) {
      ChargeOne({HitOn(old, 0, AnyCost(dice, old.written.quota))}, tick);
    }
    const Twin& now = Changed(old, to);
    std::vector<std::unique_ptr<Check>> peek;
    peek.push_back(NewCheck({HitOn(now, 0, 0)}));
    ChargeInRedis(peek, tick);
    const bool full = peek[0]->outcomes[0].used == 0;
    ChargeOne({HitOn(now, 0, 0)}, tick);
    if (full) continue;
    ChargeOne({HitOn(now, 0, 1)}, tick);
    ChargeOne({HitOn(now, 0, 0)}, tick);
  }
}

TEST_F(ScriptTest, CalendarMonthsFollowTheCalendar) {
  const Twin& twin = NewRule({.algorithm = Algorithm::kFixedWindow,
                              .limit = 1'000'000,
                              .unit = Unit::kMonth,
                              .calendar = true});
  const WallTime first = SharedTicks::kOrigin;
  for (int day = 0; day < 6 * 366; ++day) {
    const std::int64_t midnight = SharedTicks::TickOf(first + day * 24h);
    ChargeOne({HitOn(twin, 0)}, midnight);
    ChargeOne({HitOn(twin, 0)}, midnight + kTicksPerSecond * 86'399);
    ASSERT_FALSE(HasFailure()) << "day " << day;
  }
}

TEST_F(ScriptTest, EveryKeyExpires) {
  const Twin& bucket = NewRule({.limit = 5, .window = 10s});
  const Twin& fixed = NewRule({.algorithm = Algorithm::kFixedWindow, .limit = 5, .window = 10s});
  const Twin& sliding =
      NewRule({.algorithm = Algorithm::kSlidingWindow, .limit = 5, .window = 10s});
  const Twin& month = NewRule(
      {.algorithm = Algorithm::kFixedWindow, .limit = 5, .unit = Unit::kMonth, .calendar = true});
  for (const bool general : {false, true}) {
    client_.Run({"FLUSHALL"});
    Restart();
    always_general_ = general;
    for (const Twin* twin : {&bucket, &fixed, &sliding, &month}) {
      ChargeOne({HitOn(*twin, 0)}, 1000 * kTicksPerSecond);
      std::string key;
      keys_.Write(HitOn(*twin, 0), twin->written.quota, key);
      const std::int64_t ttl = client_.Run({"TTL", key}).integer();
      EXPECT_GT(ttl, twin == &month ? 31 * 86'400 : 10);
      EXPECT_LE(ttl, twin == &month ? 32 * 86'400 : 22);
    }
  }
}

TEST_F(ScriptTest, PeeksAndDenialsWriteNothing) {
  const Twin& none = NewRule({.algorithm = Algorithm::kSlidingWindow, .limit = 0, .window = 10s});
  const Twin& bucket = NewRule({.limit = 5, .window = 10s});
  ChargeOne({HitOn(bucket, 0, 0)}, kTicksPerSecond);
  ChargeOne({HitOn(bucket, 0, 6)}, kTicksPerSecond);
  ChargeOne({HitOn(none, 0)}, kTicksPerSecond);
  ChargeOne({HitOn(bucket, 1), HitOn(none, 0)}, kTicksPerSecond);
  EXPECT_EQ(client_.Run({"DBSIZE"}).integer(), 0);
}

TEST_F(ScriptTest, AForeignValueIsNobodysCountAndItsNeighboursAreServed) {
  const Twin& bucket = NewRule({.limit = 5, .window = 10s});
  const Twin& fixed = NewRule({.algorithm = Algorithm::kFixedWindow, .limit = 5, .window = 10s});
  const Twin& sliding =
      NewRule({.algorithm = Algorithm::kSlidingWindow, .limit = 5, .window = 10s});
  for (const Twin* twin : {&bucket, &fixed, &sliding}) {
    std::string key;
    keys_.Write(HitOn(*twin, 0), twin->written.quota, key);
    client_.Run({"LPUSH", key, "x"});
    keys_.Write(HitOn(*twin, 1), twin->written.quota, key);
    client_.Run({"SET", key, "17"});
    for (const bool general : {false, true}) {
      always_general_ = general;
      std::vector<std::unique_ptr<Check>> checks;
      for (const int k : {0, 1, 2}) checks.push_back(NewCheck({HitOn(*twin, k)}));
      ChargeInRedis(checks, kTicksPerSecond);
      EXPECT_EQ(checks[0]->outcomes[0].cause, Cause::kScript);
      EXPECT_EQ(checks[1]->outcomes[0].cause, Cause::kScript);
      EXPECT_EQ(checks[2]->outcomes[0].cause, Cause::kNone);
    }
  }
}

TEST_F(ScriptTest, TheServersClockIsReadOnceAndReturned) {
  ScriptCall call;
  call.Start(Script::kProbe);
  std::string command;
  call.AppendTo(command);
  const std::optional<std::int64_t> first = ScriptCall::TickIn(client_.Ask(command));
  ASSERT_TRUE(first.has_value());
  const std::int64_t seconds = client_.Run({"TIME"}).size() > 0 ? 0 : 1;
  EXPECT_EQ(seconds, 0);
  EXPECT_EQ(*first % SharedTicks::kPerMicro, 0);
  const std::optional<std::int64_t> second = ScriptCall::TickIn(client_.Ask(command));
  EXPECT_GE(*second, *first);
}

TEST_F(ScriptTest, AReplyOfAnotherShapeFillsNothing) {
  const Twin& bucket = NewRule({.limit = 5, .window = 10s});
  const auto check = NewCheck({HitOn(bucket, 0)});
  check->outcomes.assign(1, Outcome{.cause = Cause::kTimeout});
  ScriptCall call;
  call.Start(Script::kTokenBucket);
  call.AddLean(*check, 0, keys_);
  for (const std::string_view text :
       {"+OK\r\n", "*0\r\n", "*1\r\n:5\r\n", "*3\r\n:5\r\n:1\r\n:1\r\n", "*2\r\n:-5\r\n:1\r\n",
        "*2\r\n:5\r\n$1\r\n1\r\n", "$-1\r\n"}) {
    ReplyReader reader;
    reader.Feed({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    ASSERT_EQ(reader.Next(), ReplyReader::State::kReply);
    EXPECT_FALSE(call.Fill(reader.reply())) << text;
    EXPECT_EQ(check->outcomes[0].cause, Cause::kTimeout);
  }
  // The right shape with a level that no bucket can have.
  ReplyReader reader;
  const std::string_view absurd = "*2\r\n:5\r\n:9007199254740000\r\n";
  reader.Feed({reinterpret_cast<const std::uint8_t*>(absurd.data()), absurd.size()});
  ASSERT_EQ(reader.Next(), ReplyReader::State::kReply);
  EXPECT_TRUE(call.Fill(reader.reply()));
  EXPECT_EQ(check->outcomes[0].cause, Cause::kProtocol);
}

}  // namespace
}  // namespace weir::redis
