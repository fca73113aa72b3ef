// The ACL line of docs/store.md is enough, and its rights are those that are used.

#include <fstream>
#include <sstream>

#include "redis/heartbeat.h"
#include "redis/redis_store_rig.h"

namespace weir::redis {
namespace {

std::vector<std::string> DocumentedAcl() {
  std::ifstream file("docs/store.md");
  std::string line;
  while (std::getline(file, line) && !line.starts_with("user weir")) {
  }
  std::vector<std::string> words;
  std::istringstream in(line);
  for (std::string word; in >> word;) words.push_back(word);
  if (!words.empty()) words[0] = "--user";
  return words;
}

class AclTest : public RedisStoreRig {
 protected:
  const Rule& bucket_ = NewRule({.limit = 100, .window = 1h});
  const Rule& fixed_ = NewRule({.algorithm = Algorithm::kFixedWindow, .limit = 100, .window = 1h});
};

TEST_F(AclTest, TheDocumentedLineIsEnoughForAllThatAStoreDoes) {
  const std::vector<std::string> acl = DocumentedAcl();
  ASSERT_GT(acl.size(), 10U);
  const ServerForTest server(acl);
  Open(server.url() + "?user=weir&password_env=PASSWORD");
  ASSERT_TRUE(BecomesReady());
  EXPECT_EQ(Charge({HitOn(bucket_, "a")}).outcome().cause, Cause::kNone);
  EXPECT_EQ(Charge({HitOn(bucket_, "a"), HitOn(fixed_, "a")}).outcome(1).cause, Cause::kNone);
  Hit refund = HitOn(fixed_, "a", 5);
  refund.refund = true;
  EXPECT_EQ(Charge({refund}).outcome().cause, Cause::kNone);
  Hit probe = HitOn(bucket_, "a", 0);
  probe.purpose = Purpose::kProbe;
  EXPECT_EQ(Charge({probe}).outcome().cause, Cause::kNone);
  LiveCount fleet({.source = FleetSource::kHeartbeats, .self = "me"});
  Cause heard = Cause::kRefused;
  Heartbeat heartbeat(rig_.loop(), store_->connection(), {.key = FleetKey("weir:"), .id = "me"},
                      fleet,
                      [&](Cause cause, std::string_view, std::string_view) { heard = cause; });
  EXPECT_TRUE(rig_.RunUntil([&] { return heard == Cause::kNone; }));
  ASSERT_TRUE(rig_.RunUntil([&] { return observer_.surveys > 0; }));
  for (const Finding& finding : observer_.findings) {
    EXPECT_NE(finding.kind, FindingKind::kNotAsked) << finding.sentence;
  }
  heartbeat.Stop();
  store_.reset();
}

TEST_F(AclTest, ALineThatLacksAnInnerCommandIsAnAuthCause) {
  std::vector<std::string> acl = DocumentedAcl();
  std::erase(acl, "+set");
  const ServerForTest server(acl);
  Open(server.url() + "?user=weir&password_env=PASSWORD");
  ASSERT_TRUE(BecomesReady());
  const Outcome outcome = Charge({HitOn(bucket_, "a")}).outcome();
  EXPECT_EQ(outcome.cause, Cause::kAuth);
  EXPECT_NE(observer_.advice.find("ACL"), std::string::npos);
}

}  // namespace
}  // namespace weir::redis
