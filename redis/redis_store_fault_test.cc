// A store whose server dies, falls silent, fills up, changes its role or talks nonsense: every hit
// gets a cause, and what it says of "may have been counted" is true.

#include "redis/fake_server_for_test.h"
#include "redis/redis_store_rig.h"

namespace weir::redis {
namespace {

class RedisStoreTest : public RedisStoreRig {
 protected:
  const Rule& bucket_ = NewRule({.limit = 100, .window = 1h});
  const Rule& fixed_ = NewRule({.algorithm = Algorithm::kFixedWindow, .limit = 100, .window = 1h});
};

TEST_F(RedisStoreTest, ChecksOfATurnTravelTogether) {
  const ServerForTest server;
  OpenReady(server);
  std::vector<Check*> batch;
  for (int i = 0; i < 200; ++i) batch.push_back(&NewCheck({HitOn(bucket_, std::to_string(i % 7))}));
  EXPECT_EQ(Commit({batch.data(), batch.data() + 100}), 100U);
  EXPECT_EQ(Commit({batch.data() + 100, batch.data() + 200}), 100U);
  ASSERT_TRUE(rig_.RunUntil([&] { return store_->pending() == 0; }));
  EXPECT_EQ(store_->calls(), 4U);  // 64 + 64 + 64 + 8
  EXPECT_EQ(store_->checks(), 200U);
  for (const CheckForTest& check : checks_) EXPECT_EQ(check.done, 1);
}

TEST_F(RedisStoreTest, ChecksThatFailTogetherHaveOneCallNumber) {
  const ServerForTest server;
  OpenReady(server);
  CheckForTest& one = NewCheck({HitOn(bucket_, "a")});
  CheckForTest& two = NewCheck({HitOn(bucket_, "b")});
  CheckForTest& other = NewCheck({HitOn(fixed_, "a")});
  Commit({&one, &two, &other});
  Wait(other);
  EXPECT_NE(one.call, 0U);
  EXPECT_EQ(one.call, two.call);
  EXPECT_NE(one.call, other.call);
}

TEST_F(RedisStoreTest, ACounterIsNeverChargedOutOfTurnWhicheverCallsItTravelsIn) {
  const ServerForTest server;
  OpenReady(server);
  const Rule& small = NewRule({.limit = 3, .window = 1h});
  std::vector<Check*> batch;
  for (int i = 0; i < 6; ++i) {
    batch.push_back(i % 2 == 0 ? &NewCheck({HitOn(small, "a")})
                               : &NewCheck({HitOn(small, "a"), HitOn(fixed_, "a")}));
  }
  Commit(batch);
  ASSERT_TRUE(rig_.RunUntil([&] { return store_->pending() == 0; }));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(batch[i]->outcomes[0].allowed, i < 3) << i;
}

TEST_F(RedisStoreTest, AnOutcomeTellsTheStoresTime) {
  const ServerForTest server;
  OpenReady(server);
  const CheckForTest& check = Charge({HitOn(bucket_, "a")});
  const Duration apart = check.outcome().at - rig_.loop().now().wall;
  EXPECT_LT(std::abs(apart.count()), Duration(10s).count());
  ASSERT_TRUE(store_->clock_offset().has_value());
  EXPECT_LT(std::abs(store_->clock_offset()->count()), Duration(10s).count());
}

TEST_F(RedisStoreTest, WithoutAConnectionEveryHitHasItsCauseAtOnceAndWasNotCounted) {
  Open("unix:///nowhere/at/all.sock");
  CheckForTest& check = NewCheck({HitOn(bucket_, "a"), HitOn(fixed_, "a")});
  EXPECT_EQ(Commit({&check}), 0U);
  EXPECT_FALSE(check.pending);
  EXPECT_EQ(check.done, 0);
  for (const Outcome& outcome : check.outcomes) {
    EXPECT_EQ(outcome.cause, Cause::kRefused);
    EXPECT_FALSE(outcome.ambiguous);
  }
}

TEST_F(RedisStoreTest, ASilentStoreCostsTheDeadlineAndItsLateAnswerIsNotUsed) {
  ServerForTest server;
  OpenReady(server);
  server.Freeze();
  CheckForTest& hurried = NewCheck({HitOn(bucket_, "a"), HitOn(fixed_, "a")});
  CheckForTest& patient = NewCheck({HitOn(bucket_, "a"), HitOn(fixed_, "a")});
  hurried.deadline = rig_.now() + 20ms;
  Commit({&hurried, &patient});
  Wait(hurried);
  EXPECT_GE(rig_.now(), hurried.deadline);
  EXPECT_EQ(hurried.done, 1);
  EXPECT_TRUE(patient.pending);
  for (const Outcome& outcome : hurried.outcomes) {
    EXPECT_EQ(outcome.cause, Cause::kTimeout);
    EXPECT_TRUE(outcome.ambiguous);
  }
  server.Thaw();
  Wait(patient);
  EXPECT_EQ(hurried.done, 1);
  EXPECT_EQ(hurried.outcome().cause, Cause::kTimeout);
  EXPECT_EQ(patient.outcome(1).used, 2U);  // The late one was counted before it.
}

TEST_F(RedisStoreTest, AServerThatDiesWithCallsInFlightLeavesThemAmbiguous) {
  ServerForTest server;
  OpenReady(server);
  server.Freeze();
  CheckForTest& check = NewCheck({HitOn(bucket_, "a")});
  Commit({&check});
  store_->Poll(rig_.loop().now());
  rig_.RunUntil([&, n = 0]() mutable { return ++n > 2; });
  server.Kill();
  Wait(check);
  EXPECT_EQ(check.outcome().cause, Cause::kReset);
  EXPECT_TRUE(check.outcome().ambiguous);
  server.Start();
  ASSERT_TRUE(BecomesReady());
  EXPECT_EQ(Charge({HitOn(bucket_, "a")}).outcome().cause, Cause::kNone);
}

TEST_F(RedisStoreTest, AStoreThatForgotItsScriptsIsTaughtAgainAndCountsOnce) {
  const ServerForTest server;
  OpenReady(server);
  ClientForTest(server).Run({"SCRIPT", "FLUSH"});
  CheckForTest& one = NewCheck({HitOn(fixed_, "a")});
  CheckForTest& group = NewCheck({HitOn(fixed_, "a"), HitOn(bucket_, "a")});
  Commit({&one, &group});
  Wait(group);
  EXPECT_EQ(one.outcome().cause, Cause::kNone);
  EXPECT_EQ(one.outcome().used, 1U);
  EXPECT_EQ(group.outcome().used, 2U);
  EXPECT_EQ(Charge({HitOn(fixed_, "a", 0)}).outcome().used, 2U);
}

TEST_F(RedisStoreTest, AFullStoreIsOomForChargesAndProbesAndCountsNothing) {
  const ServerForTest server({"--maxmemory", "1", "--maxmemory-policy", "noeviction"});
  OpenReady(server);
  Hit probe = HitOn(bucket_, "a", 0);
  probe.purpose = Purpose::kProbe;
  probe.rule = nullptr;
  probe.quota = nullptr;
  for (const std::vector<Hit>& hits :
       {std::vector{HitOn(bucket_, "a")}, std::vector{HitOn(bucket_, "a"), HitOn(fixed_, "a")},
        std::vector{probe}}) {
    const CheckForTest& check = Charge(hits);
    EXPECT_EQ(check.outcome().cause, Cause::kOom);
    EXPECT_FALSE(check.outcome().ambiguous);
  }
  EXPECT_NE(observer_.advice.find("maxmemory"), std::string::npos);
  ClientForTest client(server);
  client.Run({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(Charge({probe}).outcome().cause, Cause::kNone);
  EXPECT_EQ(client.Run({"DBSIZE"}).integer(), 0);
}

TEST_F(RedisStoreTest, APrimaryThatBecomesAReplicaIsLeftUntilItIsOneAgain) {
  const ServerForTest server;
  OpenReady(server);
  ClientForTest client(server);
  client.Run({"REPLICAOF", "127.0.0.1", "1"});
  // Redis throws its clients out or answers READONLY, whichever comes first.
  const CheckForTest& check = Charge({HitOn(bucket_, "a")});
  EXPECT_NE(check.outcome().cause, Cause::kNone);
  EXPECT_TRUE(rig_.RunUntil([&] { return store_->connection().down() == Cause::kReadonly; }));
  CheckForTest& refused = NewCheck({HitOn(bucket_, "a")});
  EXPECT_EQ(Commit({&refused}), 0U);
  EXPECT_EQ(refused.outcome().cause, Cause::kReadonly);
  EXPECT_FALSE(refused.outcome().ambiguous);
  client.Run({"REPLICAOF", "NO", "ONE"});
  ASSERT_TRUE(BecomesReady());
  EXPECT_EQ(Charge({HitOn(bucket_, "a")}).outcome().cause, Cause::kNone);
}

TEST_F(RedisStoreTest, AQuotaThatTheStoreCannotCountIsRefusedAndItsNeighbourIsCounted) {
  const ServerForTest server;
  OpenReady(server);
  const Rule& fine = NewRule({.limit = 30'000, .window = 1s});  // 533.3 ticks a unit.
  CheckForTest& alone = NewCheck({HitOn(fine, "a")});
  EXPECT_EQ(Commit({&alone}), 0U);
  EXPECT_EQ(alone.outcome().cause, Cause::kScript);
  const CheckForTest& both = Charge({HitOn(fine, "a"), HitOn(fixed_, "a")});
  EXPECT_EQ(both.outcome(0).cause, Cause::kScript);
  EXPECT_FALSE(both.outcome(0).ambiguous);
  EXPECT_EQ(both.outcome(1).cause, Cause::kNone);
  EXPECT_EQ(both.outcome(1).used, 1U);
}

TEST_F(RedisStoreTest, MoreCallsThanTheBoundAreQueueFull) {
  const ServerForTest server;
  OpenReady(server, {.most_calls = 1, .survey_every = {}});
  CheckForTest& one = NewCheck({HitOn(bucket_, "a")});
  CheckForTest& two = NewCheck({HitOn(fixed_, "a")});
  Commit({&one, &two});
  Wait(one);
  Wait(two);
  EXPECT_EQ(one.outcome().cause, Cause::kNone);
  EXPECT_EQ(two.outcome().cause, Cause::kQueueFull);
  EXPECT_FALSE(two.outcome().ambiguous);
}

TEST_F(RedisStoreTest, PendingChecksAreDoneWhenTheStoreGoes) {
  ServerForTest server;
  OpenReady(server);
  server.Freeze();
  CheckForTest& sent = NewCheck({HitOn(bucket_, "a")});
  Commit({&sent});
  store_->Poll(rig_.loop().now());
  CheckForTest& open = NewCheck({HitOn(bucket_, "a")});
  Commit({&open});
  store_.reset();
  EXPECT_EQ(sent.done, 1);
  EXPECT_EQ(open.done, 1);
  EXPECT_EQ(sent.outcome().cause, Cause::kReset);
  EXPECT_EQ(open.outcome().cause, Cause::kReset);
}

// A server that says what the test tells it to.
class FakeRedisTest : public RedisStoreTest {
 protected:
  FakeRedisTest() {
    Open("unix://" + fake_.socket(), {.survey_every = {}});
    EXPECT_TRUE(rig_.RunUntil([&] { return fake_.Accept(); }));
    fake_.Say(FakeServerForTest::Welcome(kScripts));
    EXPECT_TRUE(BecomesReady());
    fake_.Heard();
  }
  CheckForTest& Ask(const std::vector<Hit>& hits) {
    CheckForTest& check = NewCheck(hits);
    Commit({&check});
    EXPECT_TRUE(rig_.RunUntil([&] { return !fake_.Heard().empty(); }));
    return check;
  }

  FakeServerForTest fake_;
};

TEST_F(FakeRedisTest, ErrorsGiveEachHitTheirCause) {
  struct Case {
    std::string_view reply;
    Cause cause;
    bool ambiguous;
  };
  for (const Case& c : {
           Case{"-OOM command not allowed\r\n", Cause::kOom, false},
           Case{"-BUSY Redis is busy running a script\r\n", Cause::kTimeout, false},
           Case{"-MISCONF Errors writing\r\n", Cause::kReadonly, false},
           Case{"-NOPERM no\r\n", Cause::kAuth, false},
           Case{"-ERR oops script: ab, on @user_script:1.\r\n", Cause::kScript, true},
           Case{"-WHAT is this\r\n", Cause::kProtocol, true},
           Case{"-MOVED 1 127.0.0.1:1\r\n", Cause::kMoved, false},
       }) {
    CheckForTest& check = Ask({HitOn(bucket_, "a"), HitOn(fixed_, "a")});
    fake_.Say(c.reply);
    Wait(check);
    for (const Outcome& outcome : check.outcomes) {
      EXPECT_EQ(outcome.cause, c.cause) << c.reply;
      EXPECT_EQ(outcome.ambiguous, c.ambiguous) << c.reply;
    }
  }
  EXPECT_TRUE(store_->connection().ready());
}

TEST_F(FakeRedisTest, RolesThatChangedEndTheConnectionOnceAllAnswersAreIn) {
  for (const std::string_view reply :
       {"-LOADING loading\r\n", "-CLUSTERDOWN down\r\n", "-READONLY replica\r\n"}) {
    CheckForTest& first = NewCheck({HitOn(bucket_, "a")});
    CheckForTest& second = NewCheck({HitOn(fixed_, "a")});
    Commit({&first, &second});
    ASSERT_TRUE(rig_.RunUntil([&] { return !fake_.Heard().empty(); }));
    fake_.Say(reply);
    Wait(first);
    EXPECT_FALSE(first.outcome().ambiguous);
    EXPECT_TRUE(second.pending);
    EXPECT_FALSE(store_->connection().ready());
    CheckForTest& refused = NewCheck({HitOn(bucket_, "b")});
    EXPECT_EQ(Commit({&refused}), 0U);
    EXPECT_EQ(refused.outcome().cause, first.outcome().cause);
    fake_.Say("*2\r\n:16000000\r\n:1\r\n");
    Wait(second);
    EXPECT_EQ(second.outcome().cause, Cause::kNone);
    EXPECT_EQ(second.outcome().used, 1U);
    ASSERT_TRUE(rig_.RunUntil([&] { return fake_.Accept(); }));
    fake_.Say(FakeServerForTest::Welcome(kScripts));
    ASSERT_TRUE(BecomesReady());
    fake_.Heard();
  }
}

TEST_F(FakeRedisTest, AnAnswerOfAnotherShapeIsAProtocolErrorAndEndsTheConnection) {
  CheckForTest& check = Ask({HitOn(bucket_, "a")});
  fake_.Say("*1\r\n:16000000\r\n");
  Wait(check);
  EXPECT_EQ(check.outcome().cause, Cause::kProtocol);
  EXPECT_TRUE(check.outcome().ambiguous);
  EXPECT_TRUE(rig_.RunUntil([&] { return !observer_.downs.empty(); }));
}

TEST_F(FakeRedisTest, AForgottenScriptIsNotTaughtForeverNorForSomebodyWhoLeft) {
  CheckForTest& stubborn = Ask({HitOn(bucket_, "a")});
  for (int i = 0; i < 20 && stubborn.pending; ++i) {
    fake_.Say(i == 0 ? "-NOSCRIPT no\r\n" : "+ok\r\n-NOSCRIPT no\r\n");
    rig_.RunUntil([&] { return !stubborn.pending || !fake_.Heard().empty(); });
  }
  EXPECT_FALSE(stubborn.pending);
  EXPECT_EQ(stubborn.outcome().cause, Cause::kScript);
  EXPECT_FALSE(stubborn.outcome().ambiguous);

  CheckForTest& left = NewCheck({HitOn(bucket_, "a")});
  left.deadline = rig_.now() + 1ms;
  Commit({&left});
  Wait(left);
  rig_.RunUntil([&] { return !fake_.Heard().empty(); });
  fake_.Say("-NOSCRIPT no\r\n");
  CheckForTest& next = Ask({HitOn(fixed_, "a")});
  fake_.Say("*2\r\n:16000000\r\n:1\r\n");
  Wait(next);
  EXPECT_EQ(next.outcome().cause, Cause::kNone);
}

}  // namespace
}  // namespace weir::redis
