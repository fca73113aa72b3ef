// What comes back from an outage, and epochs, in the general script.

#include "redis/script_rig.h"

namespace weir::redis {
namespace {

constexpr std::int64_t kNow = 1000 * kTicksPerSecond;

FailurePolicy Learned() {
  FailurePolicy policy;
  policy.mode = FailureMode::kLocalShare;
  policy.split = ShareSplit::kLearned;
  return policy;
}

class HandBackTest : public ScriptTest {
 protected:
  Hit HandBack(const Twin& twin, std::uint64_t cost, std::int64_t charged, bool capped = false) {
    Hit hit = HitOn(twin, 0, cost);
    hit.purpose = Purpose::kHandBack;
    hit.charged = SharedTicks::WallOf(charged);
    hit.capped = capped;
    return hit;
  }
  Outcome Charge(const Hit& hit, std::int64_t tick) {
    std::vector<std::unique_ptr<Check>> checks;
    checks.push_back(NewCheck({hit}));
    ChargeInRedis(checks, tick);
    return checks[0]->outcomes[0];
  }
};

TEST_F(HandBackTest, EqualsTheMemoryStoreForEveryAlgorithm) {
  const Twin& bucket = NewRule({.limit = 10, .window = 10s, .burst = 20});
  const auto second = static_cast<std::uint64_t>(kTicksPerSecond * SharedTicks::kQuotaTicks);
  ChargeOne({HitOn(bucket, 0, 5)}, kNow);
  ChargeOne({HandBack(bucket, 4 * second, kNow)}, kNow);
  ChargeOne({HitOn(bucket, 0, 0)}, kNow);
  ChargeOne({HandBack(bucket, 400 * second, kNow)}, kNow);
  ChargeOne({HitOn(bucket, 0, 0)}, kNow);
  for (const QuotaSpec& spec :
       {QuotaSpec{.algorithm = Algorithm::kFixedWindow, .limit = 10, .window = 10s},
        QuotaSpec{.algorithm = Algorithm::kSlidingWindow, .limit = 10, .window = 10s},
        QuotaSpec{.algorithm = Algorithm::kFixedWindow,
        .limit = 10,
        .unit = Unit::kMonth,
        .calendar = true}}) {
    const Twin& twin = NewRule(spec);
    ChargeOne({HitOn(twin, 0, 3)}, kNow);
    ChargeOne({HandBack(twin, 4, kNow)}, kNow + kTicksPerSecond);
    ChargeOne({HandBack(twin, 4000, kNow, true)}, kNow + kTicksPerSecond);
    ChargeOne({HandBack(twin, 100, kNow)}, kNow + kTicksPerSecond);
    ChargeOne({HandBack(twin, 100, kNow, true)}, kNow + kTicksPerSecond);
    ChargeOne({HitOn(twin, 0, 0)}, kNow + kTicksPerSecond);
    const std::int64_t later = kNow + 40 * 86'400 * kTicksPerSecond;
    ChargeOne({HandBack(twin, 4, kNow)}, later);
    ChargeOne({HitOn(twin, 0, 0)}, later);
  }
}

TEST_F(HandBackTest, AnEpochTellsWhatAllInstancesSpentInTheOneBefore) {
  for (const Algorithm algorithm :
       {Algorithm::kTokenBucket, Algorithm::kFixedWindow, Algorithm::kSlidingWindow}) {
    Twin& twin = NewRule({.algorithm = algorithm, .limit = 20, .window = 10s});
    twin.written.on_store_failure = Learned();
    EXPECT_EQ(Charge(HitOn(twin, 0, 7), kNow).fleet, 0U);
    EXPECT_EQ(Charge(HitOn(twin, 0, 5), kNow + kTicksPerSecond).fleet, 0U);
    EXPECT_FALSE(Charge(HitOn(twin, 0, 15), kNow + kTicksPerSecond).allowed);
    const std::int64_t next = kNow + 10 * kTicksPerSecond;
    EXPECT_EQ(Charge(HitOn(twin, 0, 1), next).fleet, 12U);
    EXPECT_EQ(Charge(HitOn(twin, 0, 0), next + 9 * kTicksPerSecond).fleet, 12U);
    EXPECT_EQ(Charge(HitOn(twin, 0, 0), next + 10 * kTicksPerSecond).fleet, 1U);
    EXPECT_EQ(Charge(HitOn(twin, 0, 0), next + 30 * kTicksPerSecond).fleet, 0U);
  }
}

TEST_F(HandBackTest, EpochsDoNotChangeTheCountNorWhoReadsIt) {
  for (const Algorithm algorithm :
       {Algorithm::kTokenBucket, Algorithm::kFixedWindow, Algorithm::kSlidingWindow}) {
    Twin& twin = NewRule({.algorithm = algorithm, .limit = 20, .window = 10s});
    twin.written.on_store_failure = Learned();
    ChargeOne({HitOn(twin, 0, 7)}, kNow);
    twin.written.on_store_failure.reset();  // An instance that learns nothing.
    ChargeOne({HitOn(twin, 0, 2)}, kNow);
    ChargeOne({HitOn(twin, 0, 12)}, kNow);
    ChargeOne({HitOn(twin, 0, 3), HitOn(twin, 0, 1)}, kNow);
    ChargeOne({HitOn(twin, 0, 0)}, kNow);
  }
}

TEST_F(HandBackTest, AGroupThatIsDeniedSpendsNothingInItsEpoch) {
  Twin& learned = NewRule({.limit = 20, .window = 10s});
  learned.written.on_store_failure = Learned();
  const Twin& none = NewRule({.limit = 0, .window = 10s});
  ChargeOne({HitOn(learned, 0, 7), HitOn(none, 0)}, kNow);
  EXPECT_EQ(Charge(HitOn(learned, 0, 1), kNow).allowed, true);
  EXPECT_EQ(Charge(HitOn(learned, 0, 0), kNow + 10 * kTicksPerSecond).fleet, 1U);
}

}  // namespace
}  // namespace weir::redis
