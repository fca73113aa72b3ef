#include "redis/connection.h"

#include <memory>

#include "redis/fake_server_for_test.h"
#include "redis/loop_rig.h"
#include "redis/scripts.h"
#include "redis/server_for_test.h"

namespace weir::redis {
namespace {

using namespace std::chrono_literals;

class ConnectionTest : public testing::Test {
 protected:
  ~ConnectionTest() override {
    if (connection_) connection_->Close();
  }
  Connection& Connect(const ServerAddress& to, ConnectionOptions options = {},
                      const Endpoint::Login& login = {}, std::uint32_t database = 0) {
    connection_ =
        std::make_unique<Connection>(rig_.loop(), to, login, database, nullptr, options, observer_);
    connection_->Open();
    return *connection_;
  }
  bool BecomesReady() {
    return rig_.RunUntil([&] { return connection_->ready(); });
  }
  // A fake server with a connection that has greeted it.
  Connection& ConnectToFake(ConnectionOptions options = {}) {
    Connection& connection = Connect({.path = fake_.socket()}, options);
    Greet();
    return connection;
  }
  void Greet() {
    ASSERT_TRUE(rig_.RunUntil([&] { return fake_.Accept(); }));
    fake_.Say(FakeServerForTest::Welcome(kScripts));
    ASSERT_TRUE(BecomesReady());
    fake_.Heard();
  }

  LoopRig rig_;
  ObserverForTest observer_;
  FakeServerForTest fake_;
  std::unique_ptr<Connection> connection_;
};

ServerAddress AddressOf(const ServerForTest& server) {
  return {.path = server.socket()};
}

TEST_F(ConnectionTest, GreetsAndLoadsTheScripts) {
  const ServerForTest server;
  Connect(AddressOf(server));
  ASSERT_TRUE(BecomesReady());
  EXPECT_EQ(observer_.ups, 1);
  EXPECT_TRUE(observer_.last.primary);
  EXPECT_TRUE(observer_.last.version.starts_with("7."));
  ClientForTest client(server);
  for (std::size_t i = 0; i < kScripts; ++i) {
    const Reply known = client.Run({"SCRIPT", "EXISTS", DigestOf(static_cast<Script>(i))});
    EXPECT_EQ(known.integer(1), 1);
  }
}

TEST_F(ConnectionTest, ReachesAServerOverTcpByNumberAndByName) {
  const ServerForTest server({}, true);
  for (const char* host : {"127.0.0.1", "localhost"}) {
    Connect({.host = host, .port = server.port()});
    EXPECT_TRUE(BecomesReady()) << host;
    connection_->Close();
  }
  Connect({.host = "no-such-host.invalid", .port = 1});
  EXPECT_TRUE(rig_.RunUntil([&] { return !observer_.causes.empty(); }));
  EXPECT_EQ(observer_.causes[0], Cause::kRefused);
}

TEST_F(ConnectionTest, RepliesReachTheirCallsInOrder) {
  const ServerForTest server;
  Connection& connection = Connect(AddressOf(server));
  ASSERT_TRUE(BecomesReady());
  std::vector<std::unique_ptr<CallForTest>> calls;
  for (int i = 0; i < 1000; ++i) {
    auto& call = calls.emplace_back(std::make_unique<CallForTest>());
    ASSERT_EQ(SendWords(connection, *call, {"ECHO", std::to_string(i)}), Cause::kNone);
  }
  ASSERT_TRUE(rig_.RunUntil([&] { return calls.back()->ended == 1; }));
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(calls[i]->ended, 1);
    EXPECT_EQ(calls[i]->text, std::to_string(i));
  }
  EXPECT_EQ(connection.in_flight(), 0U);
}

TEST_F(ConnectionTest, ACallMaySendTheNextFromItsReply) {
  const ServerForTest server;
  Connection& connection = Connect(AddressOf(server));
  ASSERT_TRUE(BecomesReady());
  CallForTest first;
  CallForTest second;
  first.then = [&] { SendWords(connection, second, {"ECHO", "b"}); };
  SendWords(connection, first, {"ECHO", "a"});
  ASSERT_TRUE(rig_.RunUntil([&] { return second.ended == 1; }));
  EXPECT_EQ(second.text, "b");
}

TEST_F(ConnectionTest, LogsInAsAUserAndSelectsItsDatabase) {
  const ServerForTest server(
      {"--user", "weir", "on", ">secret", "~*", "+@all", "--user", "default", "off"});
  Connect(AddressOf(server), {}, {.user = "weir", .password = "secret"}, 3);
  ASSERT_TRUE(BecomesReady());
  CallForTest call;
  SendWords(*connection_, call, {"CLIENT", "INFO"});
  ASSERT_TRUE(rig_.RunUntil([&] { return call.ended == 1; }));
  EXPECT_NE(call.text.find("name=weir"), std::string::npos);
  EXPECT_NE(call.text.find(" db=3 "), std::string::npos);
  EXPECT_NE(call.text.find("user=weir"), std::string::npos);
}

TEST_F(ConnectionTest, WrongCredentialsAreAnAuthCauseThatSaysWhatToDoAndNoSecret) {
  const ServerForTest server({"--requirepass", "secret"});
  for (const std::string password : {"", "hunter2"}) {
    observer_.causes.clear();
    observer_.reasons.clear();
    Connect(AddressOf(server), {}, {.password = password});
    ASSERT_TRUE(rig_.RunUntil([&] { return !observer_.causes.empty(); }));
    EXPECT_EQ(observer_.causes[0], Cause::kAuth);
    EXPECT_NE(observer_.reasons[0].find("password"), std::string::npos);
    EXPECT_EQ(observer_.reasons[0].find("hunter2"), std::string::npos);
    EXPECT_EQ(connection_->down(), Cause::kAuth);
    connection_->Close();
  }
}

TEST_F(ConnectionTest, AReplicaIsNoServerToCountIn) {
  const ServerForTest server({"--replicaof", "127.0.0.1", "1"});
  Connect(AddressOf(server));
  ASSERT_TRUE(rig_.RunUntil([&] { return !observer_.causes.empty(); }));
  EXPECT_EQ(connection_->down(), Cause::kReadonly);
}

TEST_F(ConnectionTest, NothingIsSentWhileItIsDownAndItComesBackByItself) {
  ServerForTest server;
  Connection& connection = Connect(AddressOf(server));
  ASSERT_TRUE(BecomesReady());
  server.Kill();
  ASSERT_TRUE(rig_.RunUntil([&] { return !connection.ready(); }));
  CallForTest call;
  EXPECT_NE(SendWords(connection, call, {"ECHO", "x"}), Cause::kNone);
  EXPECT_EQ(call.ended, 0);
  ASSERT_TRUE(rig_.RunUntil([&] { return connection.down() == Cause::kRefused; }));
  server.Start();
  ASSERT_TRUE(BecomesReady());
  EXPECT_EQ(observer_.ups, 2);
}

TEST_F(ConnectionTest, CallsInFlightAreLostOnceAndNeverReplayed) {
  Connection& connection = ConnectToFake();
  CallForTest call;
  SendWords(connection, call, {"ECHO", "only once"});
  ASSERT_TRUE(rig_.RunUntil([&] { return !fake_.Heard().empty(); }));
  fake_.CloseConnection();
  ASSERT_TRUE(rig_.RunUntil([&] { return call.ended == 1; }));
  EXPECT_EQ(call.cause, Cause::kReset);
  EXPECT_TRUE(call.may_have_run);
  Greet();
  EXPECT_EQ(fake_.Heard(), "");
  EXPECT_EQ(call.ended, 1);
}

TEST_F(ConnectionTest, ACommandThatDidNotLeaveSurelyDidNotRun) {
  Connection& connection = ConnectToFake();
  CallForTest call;
  SendWords(connection, call, {"ECHO", "x"});  // Leaves at the end of the turn, which never comes.
  connection.Drop(Cause::kReadonly, "test");
  EXPECT_EQ(call.ended, 1);
  EXPECT_EQ(call.cause, Cause::kReadonly);
  EXPECT_FALSE(call.may_have_run);
}

TEST_F(ConnectionTest, ACommandThatLeftInPartSurelyDidNotRunAndTheOneBeforeItPerhaps) {
  Connection& connection = ConnectToFake();
  CallForTest whole;
  CallForTest part;
  SendWords(connection, whole, {"ECHO", "x"});
  SendWords(connection, part, {"ECHO", std::string(3'000'000, 'x')});
  ASSERT_TRUE(rig_.RunUntil([&] { return fake_.Heard().size() > 100'000; }));
  fake_.CloseConnection();
  ASSERT_TRUE(rig_.RunUntil([&] { return part.ended == 1; }));
  EXPECT_TRUE(whole.may_have_run);
  EXPECT_FALSE(part.may_have_run);
}

TEST_F(ConnectionTest, AReplyThatNobodyAskedForEndsTheConnection) {
  ConnectToFake();
  fake_.Say("+OK\r\n");
  ASSERT_TRUE(rig_.RunUntil([&] { return !observer_.causes.empty(); }));
  EXPECT_EQ(observer_.causes[0], Cause::kProtocol);
}

TEST_F(ConnectionTest, GarbageEndsTheConnectionAndAllItsCalls) {
  Connection& connection = ConnectToFake();
  CallForTest first;
  CallForTest second;
  SendWords(connection, first, {"ECHO", "a"});
  SendWords(connection, second, {"ECHO", "b"});
  ASSERT_TRUE(rig_.RunUntil([&] { return !fake_.Heard().empty(); }));
  fake_.Say("+a\r\nHTTP/1.1 400 Bad Request\r\n");
  ASSERT_TRUE(rig_.RunUntil([&] { return second.ended == 1; }));
  EXPECT_EQ(first.text, "a");
  EXPECT_EQ(first.cause, Cause::kNone);
  EXPECT_EQ(second.cause, Cause::kProtocol);
}

TEST_F(ConnectionTest, ASilentServerIsDroppedWhenItsOldestCallIsTooOld) {
  Connection& connection = ConnectToFake({.drop_after = 50ms});
  CallForTest call;
  SendWords(connection, call, {"ECHO", "x"});
  const Instant sent = rig_.now();
  ASSERT_TRUE(rig_.RunUntil([&] { return call.ended == 1; }));
  EXPECT_GE(rig_.now() - sent, 49ms);
  EXPECT_EQ(call.cause, Cause::kTimeout);
  EXPECT_TRUE(call.may_have_run);
}

TEST_F(ConnectionTest, AServerThatDoesNotAnswerTheHandshakeIsGivenUp) {
  Connect({.path = fake_.socket()}, {.handshake_timeout = 30ms});
  ASSERT_TRUE(rig_.RunUntil([&] { return !observer_.causes.empty(); }));
  EXPECT_EQ(observer_.causes[0], Cause::kTimeout);
  EXPECT_EQ(connection_->down(), Cause::kTimeout);
}

TEST_F(ConnectionTest, BeyondItsBoundsItTakesNoCall) {
  Connection& connection = ConnectToFake({.most_calls = 2, .most_unsent = 1000});
  CallForTest calls[3];
  EXPECT_EQ(SendWords(connection, calls[0], {"ECHO", "a"}), Cause::kNone);
  EXPECT_EQ(SendWords(connection, calls[1], {"ECHO", "b"}), Cause::kNone);
  EXPECT_EQ(SendWords(connection, calls[2], {"ECHO", "c"}), Cause::kQueueFull);
  ASSERT_TRUE(rig_.RunUntil([&] { return !fake_.Heard().empty(); }));
  fake_.Say("+a\r\n+b\r\n");
  ASSERT_TRUE(rig_.RunUntil([&] { return calls[1].ended == 1; }));
  EXPECT_EQ(calls[2].ended, 0);
  EXPECT_EQ(SendWords(connection, calls[0], {"ECHO", std::string(2000, 'x')}), Cause::kNone);
  EXPECT_EQ(SendWords(connection, calls[1], {"ECHO", "d"}), Cause::kQueueFull);
  connection.Close();
  EXPECT_EQ(calls[0].cause, Cause::kReset);
  EXPECT_FALSE(calls[0].may_have_run);
}

TEST_F(ConnectionTest, MovesToAnotherServerWhenTold) {
  const ServerForTest server;
  Connection& connection = ConnectToFake();
  CallForTest call;
  SendWords(connection, call, {"ECHO", "x"});
  connection.MoveTo(AddressOf(server));
  EXPECT_EQ(call.cause, Cause::kMoved);
  ASSERT_TRUE(BecomesReady());
  EXPECT_TRUE(observer_.last.version.starts_with("7.0."));
}

TEST(BackoffTest, WaitsWithinASpanThatDoublesToASecond) {
  Backoff backoff(1);
  for (std::uint32_t n = 0; n < 40; ++n) {
    const Duration wait = backoff.Next();
    EXPECT_GE(wait, 0ms);
    EXPECT_LE(wait, Backoff::SpanAt(n));
  }
  EXPECT_EQ(Backoff::SpanAt(0), 20ms);
  EXPECT_EQ(Backoff::SpanAt(3), 160ms);
  EXPECT_EQ(Backoff::SpanAt(40), 1s);
  backoff.Reset();
  EXPECT_LE(backoff.Next(), 20ms);
}

TEST(BackoffTest, InstancesDoNotComeBackTogether) {
  Backoff one(1);
  Backoff two(2);
  int equal = 0;
  for (int i = 0; i < 20; ++i) equal += one.Next() == two.Next() ? 1 : 0;
  EXPECT_LT(equal, 2);
}

}  // namespace
}  // namespace weir::redis
