#include "redis/sentinels.h"

#include "redis/fake_server_for_test.h"
#include "redis/redis_store_rig.h"

namespace weir::redis {
namespace {

std::string AddressReply(std::uint16_t port) {
  const std::string text = std::to_string(port);
  return "*2\r\n$9\r\n127.0.0.1\r\n$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

constexpr std::string_view kSentinelWelcome =
    "*4\r\n$7\r\nversion\r\n$5\r\n7.0.0\r\n$4\r\nrole\r\n$8\r\nsentinel\r\n";

class SentinelsTest : public RedisStoreRig {
 protected:
  static Endpoint EndpointOf(std::vector<ServerAddress> sentinels) {
    Endpoint endpoint;
    endpoint.kind = Endpoint::Kind::kSentinel;
    endpoint.servers = std::move(sentinels);
    endpoint.sentinel_name = "shop";
    return endpoint;
  }
  void Welcome(FakeServerForTest& sentinel) {
    ASSERT_TRUE(rig_.RunUntil([&] { return sentinel.Accept(); }));
    sentinel.Say(kSentinelWelcome);
  }
  // Waits for the question and answers it.
  void Answer(FakeServerForTest& sentinel, std::string_view reply) {
    ASSERT_TRUE(rig_.RunUntil([&] {
      return sentinel.Heard().find("get-master-addr-by-name\r\n$4\r\nshop") != std::string::npos;
    }));
    sentinel.Say(reply);
  }
};

TEST_F(SentinelsTest, TheNextOneIsAskedWhereOneIsDeadOrDoesNotKnow) {
  FakeServerForTest ignorant;
  FakeServerForTest knowing;
  std::vector<ServerAddress> found;
  Sentinels sentinels(
      rig_.loop(),
      EndpointOf({{.path = "/nowhere"}, {.path = ignorant.socket()}, {.path = knowing.socket()}}),
      nullptr, 1, [&](const ServerAddress& at) { found.push_back(at); });
  Welcome(ignorant);
  Answer(ignorant, "*-1\r\n");
  Welcome(knowing);
  Answer(knowing, AddressReply(7000));
  ASSERT_TRUE(rig_.RunUntil([&] { return !found.empty(); }));
  EXPECT_EQ(found[0], (ServerAddress{.host = "127.0.0.1", .port = 7000}));
  EXPECT_GE(sentinels.unreachable(), 1U);
  EXPECT_EQ(sentinels.unknown(), 1U);
  sentinels.Ask();
  Answer(knowing, AddressReply(7001));
  ASSERT_TRUE(rig_.RunUntil([&] { return found.size() == 2; }));
  EXPECT_EQ(found[1].port, 7001);
}

TEST_F(SentinelsTest, AStoreFollowsThePrimaryThroughAFailover) {
  ServerForTest first({}, true);
  ServerForTest second({"--replicaof", "127.0.0.1", std::to_string(first.port())}, true);
  FakeServerForTest sentinel;
  RedisStoreOptions options;
  store_ = std::make_unique<RedisStore>(rig_.loop(), EndpointOf({{.path = sentinel.socket()}}),
                                        nullptr, options, &observer_);
  const Rule& rule = NewRule({.limit = 100, .window = 1h});
  CheckForTest& early = NewCheck({HitOn(rule, "a")});
  EXPECT_EQ(Commit({&early}), 0U);  // Nobody knows the primary yet.
  EXPECT_EQ(early.outcome().cause, Cause::kRefused);
  Welcome(sentinel);
  Answer(sentinel, AddressReply(first.port()));
  ASSERT_TRUE(BecomesReady());
  EXPECT_EQ(Charge({HitOn(rule, "a")}).outcome().cause, Cause::kNone);

  first.Kill();
  Answer(sentinel, AddressReply(second.port()));  // Still a replica: not to be counted in.
  ASSERT_TRUE(rig_.RunUntil([&] { return store_->connection().down() == Cause::kReadonly; }));
  ClientForTest(second).Run({"REPLICAOF", "NO", "ONE"});
  ASSERT_TRUE(rig_.RunUntil([&] {
    if (!sentinel.Heard().empty()) sentinel.Say(AddressReply(second.port()));
    return store_->connection().ready();
  }));
  EXPECT_EQ(store_->connection().server().port, second.port());
  EXPECT_EQ(Charge({HitOn(rule, "a")}).outcome().cause, Cause::kNone);
}

}  // namespace
}  // namespace weir::redis
