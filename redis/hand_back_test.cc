#include "redis/hand_back.h"

#include "redis/script_rig.h"

namespace weir::redis {
namespace {

constexpr std::int64_t kNow = 1000 * kTicksPerSecond;

class HandBackTest : public ScriptTest {
 protected:
  HandBack Entry(const Twin& twin) {
    return {.rule = &twin.written, .quota = &twin.written.quota, .key = HitOn(twin, 0).key};
  }
  HandBackCall::Result Give(const HandBack& entry, std::int64_t tick) {
    HandBackCall call;
    call.Start(tick);
    call.Add(entry, keys_);
    std::string command;
    call.AppendTo(command);
    const Reply reply = client_.Ask(command);
    EXPECT_FALSE(reply.is_error()) << reply.text();
    return call.ResultOf(reply, 0).value();
  }
  Outcome Charge(const Twin& twin, std::uint64_t cost, std::int64_t tick) {
    std::vector<std::unique_ptr<Check>> checks;
    checks.push_back(NewCheck({HitOn(twin, 0, cost)}));
    ChargeInRedis(checks, tick);
    return checks[0]->outcomes[0];
  }
  std::int64_t DebtOf(const Twin& twin, std::int64_t tick) {
    return Charge(twin, 0, tick).reset.count() * 2 / 125;
  }
};

TEST_F(HandBackTest, AWindowTakesWhatWasAdmittedElsewhere) {
  for (const Algorithm algorithm : {Algorithm::kFixedWindow, Algorithm::kSlidingWindow}) {
    const Twin& twin = NewRule({.algorithm = algorithm, .limit = 10, .window = 10s});
    Charge(twin, 3, kNow);
    HandBack entry = Entry(twin);
    entry.units = 4;
    entry.charged = kNow;
    EXPECT_EQ(Give(entry, kNow + kTicksPerSecond), HandBackCall::Result::kAdded);
    EXPECT_EQ(Charge(twin, 0, kNow + kTicksPerSecond).used, 7U);
    entry.units = 100;
    EXPECT_EQ(Give(entry, kNow + kTicksPerSecond), HandBackCall::Result::kAdded);
    EXPECT_EQ(Charge(twin, 0, kNow + kTicksPerSecond).used, 107U);
  }
}

TEST_F(HandBackTest, WhatOpenAdmittedStopsAtTheLimit) {
  for (const Algorithm algorithm : {Algorithm::kFixedWindow, Algorithm::kSlidingWindow}) {
    const Twin& twin = NewRule({.algorithm = algorithm, .limit = 10, .window = 10s});
    Charge(twin, 3, kNow);
    HandBack entry = Entry(twin);
    entry.units = 4000;
    entry.charged = kNow;
    entry.stop_at_limit = true;
    EXPECT_EQ(Give(entry, kNow), HandBackCall::Result::kAdded);
    EXPECT_EQ(Charge(twin, 0, kNow).used, 10U);
    EXPECT_EQ(Give(entry, kNow), HandBackCall::Result::kAdded);
    EXPECT_EQ(Charge(twin, 0, kNow).used, 10U);
  }
}

TEST_F(HandBackTest, AClosedWindowTakesNothing) {
  const Twin& month = NewRule(
      {.algorithm = Algorithm::kFixedWindow, .limit = 10, .unit = Unit::kMonth, .calendar = true});
  const Twin& fixed = NewRule({.algorithm = Algorithm::kFixedWindow, .limit = 10, .window = 10s});
  HandBack entry = Entry(fixed);
  entry.units = 4;
  entry.charged = kNow;
  EXPECT_EQ(Give(entry, kNow + 10 * kTicksPerSecond), HandBackCall::Result::kWindowClosed);
  EXPECT_EQ(Give(entry, kNow - kTicksPerSecond), HandBackCall::Result::kWindowClosed);
  EXPECT_EQ(client_.Run({"DBSIZE"}).integer(), 0);
  entry = Entry(month);
  entry.units = 4;
  entry.charged = kNow;
  EXPECT_EQ(Give(entry, kNow + 30 * 86'400 * kTicksPerSecond), HandBackCall::Result::kAdded);
  EXPECT_EQ(Charge(month, 0, kNow).used, 4U);
  EXPECT_EQ(Give(entry, kNow + 31 * 86'400 * kTicksPerSecond), HandBackCall::Result::kWindowClosed);
}

TEST_F(HandBackTest, ABucketMergesByTheDebtThatGrewHere) {
  const Twin& twin = NewRule({.limit = 10, .window = 10s, .burst = 20});
  Charge(twin, 5, kNow);  // Full again five seconds on.
  HandBack entry = Entry(twin);
  entry.seen_full = kNow + 5 * kTicksPerSecond;
  entry.local_full = kNow + 21 * kTicksPerSecond;  // Sixteen more, at a quarter share: four units.
  entry.share = 0.25;
  EXPECT_EQ(Give(entry, kNow), HandBackCall::Result::kAdded);
  EXPECT_EQ(DebtOf(twin, kNow), 9 * kTicksPerSecond);

  // What refilled meanwhile is not charged again: of the local debt 10 s are left, of the seen
  // none.
  const std::int64_t later = kNow + 11 * kTicksPerSecond;
  EXPECT_EQ(Give(entry, later), HandBackCall::Result::kAdded);
  EXPECT_EQ(DebtOf(twin, later), 10 * kTicksPerSecond / 4);
}

TEST_F(HandBackTest, ABucketIsNeverOverdrawnAndNeverRefilled) {
  const Twin& twin = NewRule({.limit = 10, .window = 10s, .burst = 20});
  Charge(twin, 5, kNow);
  HandBack entry = Entry(twin);
  entry.local_full = kNow + 1000 * kTicksPerSecond;
  EXPECT_EQ(Give(entry, kNow), HandBackCall::Result::kAdded);
  EXPECT_EQ(DebtOf(twin, kNow), 20 * kTicksPerSecond);
  entry.local_full = 0;
  entry.seen_full = kNow + 10 * kTicksPerSecond;
  EXPECT_EQ(Give(entry, kNow), HandBackCall::Result::kAdded);
  EXPECT_EQ(DebtOf(twin, kNow), 20 * kTicksPerSecond);
}

TEST_F(HandBackTest, AForeignValueIsLeftAlone) {
  const Twin& twin = NewRule({.limit = 10, .window = 10s});
  std::string key;
  keys_.Write(HitOn(twin, 0), twin.written.quota, key);
  client_.Run({"SET", key, "17"});
  EXPECT_EQ(Give(Entry(twin), kNow), HandBackCall::Result::kForeign);
  EXPECT_EQ(client_.Run({"GET", key}).text(), "17");
}

}  // namespace
}  // namespace weir::redis
