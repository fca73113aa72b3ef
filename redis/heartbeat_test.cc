// Heartbeats of several instances in a real server.

#include "redis/heartbeat.h"

#include "redis/fake_server_for_test.h"
#include "redis/redis_store_rig.h"
#include "redis/scripts.h"

namespace weir::redis {
namespace {

// An instance as far as others can see it: a connection, heartbeats, and what it believes.
class InstanceForTest {
 public:
  InstanceForTest(LoopRig& rig, const std::string& socket, std::string id, Duration gone_after = 5s)
      : fleet_(
            {.source = FleetSource::kHeartbeats, .expected = 7, .self = id, .settle = gone_after}),
        connection_(rig.loop(), {.path = socket}, {}, 0, nullptr, {}, observer_),
        heartbeat_(rig.loop(), connection_,
                   {.key = "weir:fleet", .id = id, .every = 50ms, .gone_after = gone_after}, fleet_,
                   [this](Cause cause, std::string_view, std::string_view advice) {
                     last = cause;
                     last_advice = advice;
                     ++reports;
                     answers += cause == Cause::kNone ? 1 : 0;
                   }) {
    connection_.Open();
  }
  ~InstanceForTest() {
    heartbeat_.Stop();
    connection_.Close();
  }

  FleetView view() const { return *fleet_.view().Get(); }
  std::uint32_t count() const { return view().count; }
  LiveCount& fleet() { return fleet_; }

  Cause last = Cause::kNone;
  std::string last_advice;
  int reports = 0;
  int answers = 0;

 private:
  LiveCount fleet_;
  ObserverForTest observer_;
  Connection connection_;
  Heartbeat heartbeat_;
};

class HeartbeatTest : public testing::Test {
 protected:
  std::unique_ptr<InstanceForTest> Join(const ServerForTest& server, const std::string& id,
                                        Duration gone_after = 5s) {
    return std::make_unique<InstanceForTest>(rig_, server.socket(), id, gone_after);
  }
  bool Until(const std::function<bool()>& done) { return rig_.RunUntil(done); }

  LoopRig rig_;
};

TEST_F(HeartbeatTest, InstancesThatBeatCountEachOther) {
  const ServerForTest server;
  const auto a = Join(server, "a");
  EXPECT_EQ(a->count(), 7U);
  EXPECT_FALSE(a->view().joined);
  ASSERT_TRUE(Until([&] { return a->count() == 1; }));
  const auto b = Join(server, "b");
  const auto c = Join(server, "c");
  EXPECT_TRUE(Until([&] { return a->count() == 3 && b->count() == 3 && c->count() == 3; }));
  EXPECT_EQ(a->view().members, c->view().members);
  EXPECT_NE(a->view().self, b->view().self);
  EXPECT_FALSE(a->view().frozen);
}

TEST_F(HeartbeatTest, OneThatIsSilentForGoneAfterHasLeft) {
  const ServerForTest server;
  const auto a = Join(server, "a", 400ms);
  auto b = Join(server, "b", 400ms);
  ASSERT_TRUE(Until([&] { return a->count() == 2; }));
  b.reset();
  EXPECT_TRUE(Until([&] { return a->count() == 1; }));
  EXPECT_FALSE(a->view().frozen);
}

TEST_F(HeartbeatTest, TheKeyExpiresWhenNobodyBeatsAnyMore) {
  const ServerForTest server;
  auto a = Join(server, "a", 400ms);
  ASSERT_TRUE(Until([&] { return a->count() == 1; }));
  ClientForTest client(server);
  EXPECT_GT(client.Run({"PTTL", "weir:fleet"}).integer(), 0);
  a.reset();
  EXPECT_TRUE(Until([&] { return client.Run({"EXISTS", "weir:fleet"}).integer() == 0; }));
}

TEST_F(HeartbeatTest, WithTheStoreDeadTheCountIsFrozenAndNotShrunk) {
  ServerForTest server;
  const auto a = Join(server, "a", 400ms);
  const auto b = Join(server, "b", 400ms);
  ASSERT_TRUE(Until([&] { return a->count() == 2 && b->count() == 2; }));
  server.Kill();
  ASSERT_TRUE(Until([&] { return a->view().frozen && b->view().frozen; }));
  const int before = a->reports;
  ASSERT_TRUE(Until([&] { return a->reports >= before + 20; }));
  EXPECT_EQ(a->count(), 2U);
  EXPECT_NE(a->last, Cause::kNone);
  server.Start();
  EXPECT_TRUE(Until([&] {
    return !a->view().frozen && !b->view().frozen && a->count() == 2 && b->count() == 2;
  }));
}

TEST_F(HeartbeatTest, AStoreThatIsSilentFreezesTheCountAfterOneBeat) {
  ServerForTest server;
  const auto a = Join(server, "a", 400ms);
  const auto b = Join(server, "b", 400ms);
  ASSERT_TRUE(Until([&] { return a->count() == 2; }));
  server.Freeze();
  ASSERT_TRUE(Until([&] { return a->last == Cause::kTimeout; }));
  EXPECT_TRUE(a->view().frozen);
  // Longer than gone_after: the first to be answered finds itself alone in the store.
  const int before = a->reports;
  ASSERT_TRUE(Until([&] { return a->reports >= before + 12; }));
  const int answers = a->answers;
  server.Thaw();
  ASSERT_TRUE(Until([&] { return a->answers > answers; }));
  EXPECT_EQ(a->count(), 2U);
  EXPECT_TRUE(Until([&] { return !a->view().frozen; }));
  EXPECT_EQ(a->count(), 2U);
}

TEST_F(HeartbeatTest, OneThatStartsWithTheStoreDeadBelievesTheExpectedNumber) {
  ServerForTest server;
  server.Kill();
  const auto a = Join(server, "a");
  ASSERT_TRUE(Until([&] { return a->reports >= 3; }));
  EXPECT_EQ(a->count(), 7U);
  EXPECT_FALSE(a->view().joined);
  EXPECT_GT(a->fleet().PossibleOvershoot(), 0);
  server.Start();
  EXPECT_TRUE(Until([&] { return a->count() == 1; }));
}

TEST_F(HeartbeatTest, AForgottenScriptIsLoadedAgain) {
  const ServerForTest server;
  const auto a = Join(server, "a");
  ASSERT_TRUE(Until([&] { return a->answers > 0; }));
  ClientForTest client(server);
  client.Run({"SCRIPT", "FLUSH"});
  const int answers = a->answers;
  EXPECT_TRUE(Until([&] { return a->answers >= answers + 3; }));
  EXPECT_EQ(a->last, Cause::kNone);
}

TEST_F(HeartbeatTest, AKeyThatHoldsSomethingElseIsAFailureWithItsAdvice) {
  const ServerForTest server;
  ClientForTest client(server);
  client.Run({"SET", "weir:fleet", "mine"});
  const auto a = Join(server, "a");
  ASSERT_TRUE(Until([&] { return a->last == Cause::kScript; }));
  EXPECT_FALSE(a->last_advice.empty());
  EXPECT_EQ(a->count(), 7U);
}

TEST_F(HeartbeatTest, MembersFromTheFutureAreHeldToTheStoresClock) {
  const ServerForTest server;
  ClientForTest client(server);
  client.Run({"ZADD", "weir:fleet", "99999999999999", "before the clock was set back"});
  const auto a = Join(server, "a", 400ms);
  ASSERT_TRUE(Until([&] { return a->count() == 2; }));
  EXPECT_TRUE(Until([&] { return a->count() == 1; }));
}

TEST_F(HeartbeatTest, OfAHugeFleetOnlyTheNumberIsTold) {
  const ServerForTest server;
  ClientForTest client(server);
  for (std::size_t i = 0; i < LiveCount::kMostMembers; ++i) {
    client.Run({"ZADD", "weir:fleet", "99999999999999", "member" + std::to_string(i)});
  }
  const auto a = Join(server, "a");
  ASSERT_TRUE(Until([&] { return a->count() == LiveCount::kMostMembers + 1; }));
  EXPECT_TRUE(a->view().members.empty());
}

// Stands in for the store: what it says is the test's.
class HeartbeatReplyTest : public HeartbeatTest {
 protected:
  void Answer(std::string_view reply) {
    ASSERT_TRUE(Until([&] { return fake_.Heard().find("EVALSHA") != std::string::npos; }));
    fake_.Say(reply);
  }
  void Begin() {
    ASSERT_TRUE(Until([&] { return fake_.Accept(); }));
    fake_.Say(FakeServerForTest::Welcome(kScripts));
    Answer("*3\r\n:2\r\n$1\r\na\r\n$1\r\nb\r\n");
    ASSERT_TRUE(Until([&] { return instance_.count() == 2; }));
  }

  FakeServerForTest fake_;
  InstanceForTest instance_{rig_, fake_.socket(), "a"};
};

TEST_F(HeartbeatReplyTest, AnEmptyAnswerIsAFailureAndNotAnEmptyFleet) {
  Begin();
  Answer("*0\r\n");
  ASSERT_TRUE(Until([&] { return instance_.last == Cause::kProtocol; }));
  EXPECT_TRUE(instance_.view().frozen);
  EXPECT_EQ(instance_.count(), 2U);
}

TEST_F(HeartbeatReplyTest, AnAnswerOfAnotherShapeIsAFailure) {
  Begin();
  for (const std::string_view reply : {"*1\r\n:0\r\n", "*2\r\n$1\r\n2\r\n$1\r\na\r\n",
                                       "*2\r\n:1\r\n:1\r\n", "+OK\r\n", "*2\r\n:1\r\n*0\r\n"}) {
    instance_.last = Cause::kNone;
    Answer(reply);
    ASSERT_TRUE(Until([&] { return instance_.last == Cause::kProtocol; })) << reply;
  }
  EXPECT_EQ(instance_.count(), 2U);
}

TEST_F(HeartbeatReplyTest, AFullStoreFreezesTheCount) {
  Begin();
  Answer("-OOM command not allowed when used memory > 'maxmemory'.\r\n");
  ASSERT_TRUE(Until([&] { return instance_.last == Cause::kOom; }));
  EXPECT_TRUE(instance_.view().frozen);
  EXPECT_EQ(instance_.count(), 2U);
}

}  // namespace
}  // namespace weir::redis
