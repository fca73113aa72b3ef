// `profile: reference` over a real server: the reference service's own keys, values and commands.

#include "redis/fake_server_for_test.h"
#include "redis/redis_store_rig.h"

namespace weir::redis {
namespace {

class PlainTest : public RedisStoreRig {
 protected:
  RedisStore& OpenReference() {
    RedisStoreOptions options;
    options.reference_profile = true;
    return OpenReady(server_, options);
  }
  // As limiter/reference_keys.h writes it.
  Hit KeyedHit(std::string_view key, std::uint64_t cost = 1) {
    Hit hit = HitOn(minute_, key, cost);
    hit.key = texts_.emplace_back(key);
    return hit;
  }
  const CheckForTest& ChargeEach(std::vector<Hit> hits) {
    CheckForTest& check = NewCheck(std::move(hits), Charging::kEach);
    Commit({&check});
    Wait(check);
    return check;
  }

  ServerForTest server_;
  ClientForTest client_{server_};
  const Rule& minute_ =
      NewRule({.algorithm = Algorithm::kFixedWindow, .limit = 5, .unit = Unit::kHour});
};

constexpr std::string_view kKey = "domain_key2_value2_subkey2_subvalue2_1200";

TEST_F(PlainTest, WritesTheReferenceServicesKeysValuesAndExpiries) {
  OpenReference();
  for (int i = 0; i < 3; ++i) ChargeEach({KeyedHit(kKey)});
  EXPECT_EQ(client_.Run({"GET", kKey}).text(), "3");
  EXPECT_EQ(client_.Run({"DBSIZE"}).integer(), 1);
  const std::int64_t ttl = client_.Run({"TTL", kKey}).integer();
  EXPECT_GE(ttl, 3599);
  EXPECT_LT(ttl, 3900);
  const std::string stats(client_.Run({"INFO", "commandstats"}).text());
  EXPECT_NE(stats.find("cmdstat_incrby:calls=3"), std::string::npos);
  EXPECT_NE(stats.find("cmdstat_expire:calls=3"), std::string::npos);
  EXPECT_EQ(stats.find("cmdstat_evalsha"), std::string::npos);
}

TEST_F(PlainTest, CountsTogetherWithAReferenceServiceOnTheSameRedis) {
  OpenReference();
  client_.Run({"INCRBY", kKey, "4"});
  const Outcome fifth = ChargeEach({KeyedHit(kKey)}).outcome();
  EXPECT_TRUE(fifth.allowed);
  EXPECT_EQ(fifth.used, 5U);
  const Outcome sixth = ChargeEach({KeyedHit(kKey)}).outcome();
  EXPECT_FALSE(sixth.allowed);
  EXPECT_EQ(sixth.used, 6U);
  EXPECT_GT(sixth.retry, Duration{});
  EXPECT_LE(sixth.retry, 1h);
  EXPECT_EQ(client_.Run({"GET", kKey}).text(), "6");
}

TEST_F(PlainTest, EveryHitIsAddedInOrderAndAPeekIsAnIncrementByZero) {
  OpenReference();
  const CheckForTest& check =
      ChargeEach({KeyedHit(kKey, 4), KeyedHit(kKey, 4), KeyedHit(kKey, 0), KeyedHit("other", 0)});
  EXPECT_TRUE(check.outcome(0).allowed);
  EXPECT_FALSE(check.outcome(1).allowed);
  EXPECT_FALSE(check.outcome(2).allowed);
  EXPECT_TRUE(check.outcome(3).allowed);
  EXPECT_EQ(check.outcome(2).used, 8U);
  EXPECT_EQ(client_.Run({"GET", "other"}).text(), "0");
}

TEST_F(PlainTest, ARefundStopsAtZero) {
  OpenReference();
  ChargeEach({KeyedHit(kKey, 3)});
  Hit refund = KeyedHit(kKey, 2);
  refund.refund = true;
  EXPECT_EQ(ChargeEach({refund}).outcome().used, 1U);
  EXPECT_EQ(ChargeEach({refund}).outcome().used, 0U);
  EXPECT_EQ(client_.Run({"GET", kKey}).text(), "0");
}

TEST_F(PlainTest, AHandBackIsAddedUpToTheLimitWhereAskedAndNotToAClosedWindow) {
  OpenReference();
  Hit back = KeyedHit(kKey, 3);
  back.purpose = Purpose::kHandBack;
  back.charged = rig_.loop().now().wall;
  EXPECT_EQ(Charge({back}).outcome().used, 3U);
  back.capped = true;
  EXPECT_EQ(Charge({back}).outcome().used, 5U);
  EXPECT_TRUE(Charge({back}).outcome().allowed);
  back.capped = false;
  EXPECT_EQ(Charge({back}).outcome().used, 8U);
  EXPECT_TRUE(Charge({back}).outcome().allowed);
  back.charged -= 2h;
  EXPECT_EQ(Charge({back}).outcome().used, 11U);
}

class PlainStandstillTest : public PlainTest {
 protected:
  const CheckForTest& ChargeStanding(Standstill standstill, std::vector<Hit> hits) {
    CheckForTest& check = NewCheck(std::move(hits), Charging::kEach);
    check.standstill = standstill;
    Commit({&check});
    Wait(check);
    return check;
  }
};

TEST_F(PlainStandstillTest, WhenOverOnlyTheHitsThatGoOverAreAdded) {
  OpenReference();
  client_.Run({"SET", kKey, "5"});
  client_.Run({"SET", "other", "2"});
  const CheckForTest& check =
      ChargeStanding(Standstill::kWhenOver, {KeyedHit(kKey), KeyedHit("other"), KeyedHit("new")});
  EXPECT_FALSE(check.outcome(0).allowed);
  EXPECT_TRUE(check.outcome(0).added);
  EXPECT_EQ(check.outcome(0).used, 6U);
  EXPECT_TRUE(check.outcome(1).allowed);
  EXPECT_FALSE(check.outcome(1).added);
  EXPECT_EQ(check.outcome(1).used, 2U);
  EXPECT_FALSE(check.outcome(2).added);
  EXPECT_EQ(client_.Run({"GET", "other"}).text(), "2");
  EXPECT_EQ(client_.Run({"EXISTS", "new"}).integer(), 0);
}

TEST_F(PlainStandstillTest, WhenNothingGoesOverEverythingIsAddedAfterALook) {
  OpenReference();
  const CheckForTest& check =
      ChargeStanding(Standstill::kWhenOver, {KeyedHit(kKey, 2), KeyedHit("other", 5)});
  EXPECT_TRUE(check.outcome(0).allowed && check.outcome(0).added);
  EXPECT_TRUE(check.outcome(1).allowed && check.outcome(1).added);
  EXPECT_EQ(client_.Run({"GET", kKey}).text(), "2");
  EXPECT_GE(client_.Run({"TTL", kKey}).integer(), 3599);
  const std::string stats(client_.Run({"INFO", "commandstats"}).text());
  EXPECT_NE(stats.find("cmdstat_incrby:calls=2"), std::string::npos);
}

TEST_F(PlainStandstillTest, ChecksOfATurnStandStillEachByItself) {
  OpenReference();
  client_.Run({"SET", kKey, "5"});
  CheckForTest& over = NewCheck({KeyedHit(kKey), KeyedHit("a")}, Charging::kEach);
  CheckForTest& fine = NewCheck({KeyedHit("b")}, Charging::kEach);
  CheckForTest& plain = NewCheck({KeyedHit("c")}, Charging::kEach);
  over.standstill = fine.standstill = Standstill::kWhenOver;
  Commit({&over, &fine, &plain});
  ASSERT_TRUE(rig_.RunUntil([&] { return store_->pending() == 0; }));
  EXPECT_FALSE(over.outcome(1).added);
  EXPECT_TRUE(fine.outcome().added && plain.outcome().added);
  EXPECT_EQ(client_.Run({"EXISTS", "a"}).integer(), 0);
  EXPECT_EQ(client_.Run({"GET", "b"}).text(), "1");
  EXPECT_EQ(client_.Run({"GET", "c"}).text(), "1");
}

TEST_F(PlainStandstillTest, NowEveryHitLooksAndRefundsAreGiven) {
  OpenReference();
  client_.Run({"SET", kKey, "7"});
  Hit refund = KeyedHit(kKey, 1);
  refund.refund = true;
  const CheckForTest& check =
      ChargeStanding(Standstill::kNow, {KeyedHit(kKey), KeyedHit("new"), refund});
  EXPECT_FALSE(check.outcome(0).allowed || check.outcome(0).added);
  EXPECT_EQ(check.outcome(0).used, 7U);
  EXPECT_TRUE(check.outcome(1).allowed);
  EXPECT_EQ(client_.Run({"GET", kKey}).text(), "6");
  EXPECT_EQ(client_.Run({"EXISTS", "new"}).integer(), 0);
}

TEST_F(PlainStandstillTest, AKeyOfAnotherTypeSpoilsItsOwnHitOnly) {
  OpenReference();
  client_.Run({"LPUSH", "foreign", "x"});
  const CheckForTest& check =
      ChargeStanding(Standstill::kWhenOver, {KeyedHit("foreign"), KeyedHit(kKey)});
  EXPECT_EQ(check.outcome(0).cause, Cause::kScript);
  EXPECT_EQ(check.outcome(1).cause, Cause::kNone);
  EXPECT_EQ(check.outcome(1).used, 1U);
}

TEST_F(PlainTest, AKeyOfAnotherTypeSpoilsItsOwnHitOnly) {
  OpenReference();
  client_.Run({"LPUSH", "foreign", "x"});
  const CheckForTest& check = ChargeEach({KeyedHit("foreign"), KeyedHit(kKey)});
  EXPECT_EQ(check.outcome(0).cause, Cause::kScript);
  EXPECT_EQ(check.outcome(1).cause, Cause::kNone);
  EXPECT_EQ(check.outcome(1).used, 1U);
  EXPECT_FALSE(observer_.alerts.empty());
}

TEST_F(PlainTest, ManyChecksOfATurnArePipelined) {
  OpenReference();
  std::vector<Check*> batch;
  for (int i = 0; i < 100; ++i) batch.push_back(&NewCheck({KeyedHit(kKey)}, Charging::kEach));
  Commit(batch);
  ASSERT_TRUE(rig_.RunUntil([&] { return store_->pending() == 0; }));
  for (std::size_t i = 0; i < batch.size(); ++i) EXPECT_EQ(batch[i]->outcomes[0].used, i + 1);
  EXPECT_EQ(store_->calls(), 2U);
}

TEST_F(PlainStandstillTest, AConnectionLostWhileLookingCountedNothing) {
  FakeServerForTest fake;
  RedisStoreOptions options;
  options.reference_profile = true;
  options.survey_every = {};
  Open("unix://" + fake.socket(), options);
  ASSERT_TRUE(rig_.RunUntil([&] { return fake.Accept(); }));
  fake.Say(FakeServerForTest::Welcome(kScripts));
  ASSERT_TRUE(BecomesReady());
  fake.Heard();
  CheckForTest& check = NewCheck({KeyedHit("a")}, Charging::kEach);
  check.standstill = Standstill::kWhenOver;
  Commit({&check});
  ASSERT_TRUE(rig_.RunUntil([&] { return !fake.Heard().empty(); }));
  fake.CloseConnection();
  Wait(check);
  EXPECT_EQ(check.outcome().cause, Cause::kReset);
  EXPECT_FALSE(check.outcome().ambiguous);
}

TEST_F(PlainTest, AConnectionLostBetweenTwoCountsKeepsTheFirst) {
  FakeServerForTest fake;
  RedisStoreOptions options;
  options.reference_profile = true;
  options.survey_every = {};
  Open("unix://" + fake.socket(), options);
  ASSERT_TRUE(rig_.RunUntil([&] { return fake.Accept(); }));
  fake.Say(FakeServerForTest::Welcome(kScripts));
  ASSERT_TRUE(BecomesReady());
  fake.Heard();
  CheckForTest& check = NewCheck({KeyedHit("a"), KeyedHit("b")}, Charging::kEach);
  Commit({&check});
  ASSERT_TRUE(rig_.RunUntil([&] { return !fake.Heard().empty(); }));
  fake.Say(":1\r\n:1\r\n");
  rig_.RunUntil([n = 0]() mutable { return ++n > 3; });
  fake.CloseConnection();
  Wait(check);
  EXPECT_EQ(check.outcome(0).cause, Cause::kNone);
  EXPECT_EQ(check.outcome(0).used, 1U);
  EXPECT_EQ(check.outcome(1).cause, Cause::kReset);
  EXPECT_TRUE(check.outcome(1).ambiguous);
}

}  // namespace
}  // namespace weir::redis
