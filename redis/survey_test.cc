#include "redis/survey.h"

#include <gmock/gmock.h>

#include "redis/redis_store_rig.h"

namespace weir::redis {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<FindingKind> KindsOf(const std::vector<Finding>& findings) {
  std::vector<FindingKind> kinds;
  for (const Finding& finding : findings) kinds.push_back(finding.kind);
  return kinds;
}

Survey Fine() {
  Survey survey;
  survey.version = "7.0.15";
  survey.eviction_policy = "noeviction";
  survey.max_memory = 1000;
  survey.used_memory = 100;
  survey.latency = 1ms;
  return survey;
}

TEST(SurveyTest, AFineStoreHasNoFindings) {
  EXPECT_THAT(Judge(Fine(), Fine(), 10ms), IsEmpty());
}

TEST(SurveyTest, ReadsInfo) {
  const Survey survey = ReadInfo(
      "# Server\r\nredis_version:7.0.15\r\n\r\nrole:slave\r\nmaxmemory:2048\r\nused_memory:1024\r\n"
      "maxmemory_policy:allkeys-lru\r\nevicted_keys:17\r\ncluster_enabled:1\r\nbroken\r\nx:y");
  EXPECT_EQ(survey.version, "7.0.15");
  EXPECT_FALSE(survey.primary);
  EXPECT_TRUE(survey.cluster);
  EXPECT_EQ(survey.max_memory, 2048U);
  EXPECT_EQ(survey.used_memory, 1024U);
  EXPECT_EQ(survey.eviction_policy, "allkeys-lru");
  EXPECT_EQ(survey.evicted_keys, 17U);
}

TEST(SurveyTest, EachFaultHasItsFindingAndSaysWhatToDo) {
  struct Case {
    FindingKind kind;
    void (*spoil)(Survey&);
    std::string_view says;
  };
  for (const Case& c : {
           Case{FindingKind::kEvicting, [](Survey& s) { s.eviction_policy = "allkeys-lru"; },
                "noeviction"},
           Case{FindingKind::kEvicted, [](Survey& s) { s.evicted_keys = 5; }, "evicted 5 keys"},
           Case{FindingKind::kNoMemoryBound, [](Survey& s) { s.max_memory = 0; }, "maxmemory"},
           Case{FindingKind::kNearlyFull, [](Survey& s) { s.used_memory = 810; }, "80 %"},
           Case{FindingKind::kReplica, [](Survey& s) { s.primary = false; }, "primary"},
           Case{FindingKind::kOldVersion, [](Survey& s) { s.version = "6.2.14"; }, "6.2.14"},
           Case{FindingKind::kForeignKeys, [](Survey& s) { s.foreign = 1; }, "prefix"},
           Case{FindingKind::kShared, [](Survey& s) { s.sampled = 16, s.ours = 7; }, "not ours"},
           Case{FindingKind::kSlow, [](Survey& s) { s.latency = 6ms; }, "6.0 ms"},
       }) {
    Survey survey = Fine();
    c.spoil(survey);
    const std::vector<Finding> findings = Judge(survey, Fine(), 10ms);
    ASSERT_EQ(findings.size(), 1U) << NameOf(c.kind);
    EXPECT_EQ(findings[0].kind, c.kind);
    EXPECT_THAT(findings[0].sentence, HasSubstr(c.says));
  }
}

TEST(SurveyTest, KeysThatWereEvictedBeforeTheFirstLookAreNoNews) {
  Survey survey = Fine();
  survey.evicted_keys = 5;
  EXPECT_THAT(Judge(survey, {}, 10ms), IsEmpty());
  EXPECT_THAT(Judge(survey, survey, 10ms), IsEmpty());
}

TEST(SurveyTest, TellsOurKeysFromOthersUnderThePrefix) {
  Survey survey;
  for (const char* key : {"weir:{0123456789abcdef}b50/1/50:shop|4:acme", "weir:session:1",
                          "weir:{0123456789abcdeg}b50/1/50:x", "weir:", "other"}) {
    CountKey(survey, key, "weir:");
  }
  EXPECT_EQ(survey.sampled, 5U);
  EXPECT_EQ(survey.ours, 1U);
  EXPECT_EQ(survey.foreign, 3U);
}

class StoreSurveyTest : public RedisStoreRig {};

TEST_F(StoreSurveyTest, AStoreIsSurveyedWhenItComesUp) {
  const ServerForTest server({"--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"});
  ClientForTest client(server);
  for (int i = 0; i < 50; ++i) client.Run({"SET", "session:" + std::to_string(i), "x"});
  OpenReady(server);
  ASSERT_TRUE(rig_.RunUntil([&] { return observer_.surveys > 0; }));
  EXPECT_THAT(KindsOf(observer_.findings), Contains(FindingKind::kEvicting));
  EXPECT_THAT(KindsOf(observer_.findings), Contains(FindingKind::kShared));
}

TEST_F(StoreSurveyTest, AServerThatMayNotBeAskedIsAFinding) {
  const ServerForTest server({"--user", "default", "on", "nopass", "~*", "+@all", "-info"});
  OpenReady(server);
  ASSERT_TRUE(rig_.RunUntil([&] { return observer_.surveys > 0; }));
  ASSERT_EQ(KindsOf(observer_.findings), std::vector{FindingKind::kNotAsked});
  EXPECT_THAT(observer_.findings[0].sentence, HasSubstr("NOPERM"));
}

TEST_F(StoreSurveyTest, OurOwnKeysAreKnown) {
  const ServerForTest server({"--maxmemory", "100mb"});
  OpenReady(server);
  ASSERT_TRUE(rig_.RunUntil([&] { return observer_.surveys > 0; }));
  const Rule& rule = NewRule({.limit = 100, .window = 1h});
  for (int i = 0; i < 20; ++i) Charge({HitOn(rule, std::to_string(i))});
  Survey seen;
  SurveyCall call("weir:", [&](const std::optional<Survey>& survey, std::string_view) {
    seen = survey.value_or(Survey{});
  });
  ASSERT_TRUE(call.Start(store_->connection()));
  EXPECT_FALSE(call.Start(store_->connection()));
  ASSERT_TRUE(rig_.RunUntil([&] { return !call.busy(); }));
  EXPECT_EQ(seen.sampled, SurveyCall::kSamples);
  EXPECT_EQ(seen.ours, SurveyCall::kSamples);
  EXPECT_TRUE(seen.version.starts_with("7."));
}

}  // namespace
}  // namespace weir::redis
