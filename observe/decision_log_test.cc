#include "observe/decision_log.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "observe/metrics_rig.h"

namespace weir::observe {
namespace {

using nlohmann::json;

class Lines final : public LineSink {
 public:
  void Write(std::string_view lines) override { text += lines; }

  std::vector<json> Parse() const {
    std::vector<json> out;
    std::size_t begin = 0;
    while (begin < text.size()) {
      const std::size_t end = text.find('\n', begin);
      out.push_back(json::parse(text.substr(begin, end - begin)));
      begin = end + 1;
    }
    return out;
  }

  std::string text;
};

DecisionLogOptions Everything() {
  DecisionLogOptions options;
  options.allow = 1;
  options.deny = 1;
  return options;
}

RuleNode Tenant(std::uint64_t limit) {
  RuleNode node = NodeOf("tenant", "", limit);
  node.rule->name = "per-tenant";
  node.rule->where = {.file = "shop.yaml", .line = 9, .column = 5};
  return node;
}

class DecisionLogTest : public testing::Test {
 protected:
  void Ask(DecisionLog& log, std::vector<Entry> entries = {{"tenant", "acme"}},
           std::string_view domain = "shop") {
    rig_.Ask(domain, std::move(entries));
    log.Note(rig_.request(), rig_.check(), rig_.decision(), rig_.now);
  }

  MetricsRig rig_{{DomainOf("shop", {Tenant(2)})}};
  Lines lines_;
};

TEST_F(DecisionLogTest, SaysWhatWasDecidedAndWhy) {
  DecisionLog log(Everything(), lines_);
  for (int i = 0; i < 3; ++i) Ask(log);
  EXPECT_EQ(lines_.text, "");
  log.Flush();
  const std::vector<json> lines = lines_.Parse();
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0]["decision"], "allow");
  EXPECT_EQ(lines[0]["remaining"], 1);
  const json& denied = lines[2];
  EXPECT_EQ(denied["event"], "decision");
  EXPECT_EQ(denied["ts"], "2026-01-14T14:02:00.000Z");
  EXPECT_EQ(denied["domain"], "shop");
  EXPECT_EQ(denied["descriptor"], json({{"tenant", "acme"}}));
  EXPECT_EQ(denied["rule"], "per-tenant");
  EXPECT_EQ(denied["src"], "shop.yaml:9");
  EXPECT_EQ(denied["limit"], "2/min");
  EXPECT_EQ(denied["decision"], "deny");
  EXPECT_EQ(denied["basis"], "store");
  EXPECT_EQ(denied["mode"], "normal");
  EXPECT_EQ(denied["retry_after_s"], 30);
  EXPECT_EQ(denied["remaining"], 0);
  EXPECT_EQ(denied["key"], "shop/tenant|4:acme");
  EXPECT_EQ(log.counts().written, 3U);
}

TEST_F(DecisionLogTest, LogsRequestsWithoutARule) {
  DecisionLog log(Everything(), lines_);
  Ask(log, {{"user", "x"}});
  Ask(log, {{"tenant", "x"}}, "nowhere");
  log.Flush();
  const std::vector<json> lines = lines_.Parse();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["basis"], "no_rule");
  EXPECT_FALSE(lines[0].contains("rule"));
  EXPECT_EQ(lines[1]["domain"], "nowhere");
}

TEST_F(DecisionLogTest, SamplesByOutcomeAndRepeatsExactly) {
  DecisionLogOptions options;
  options.allow = 0.01;
  options.deny = 0.5;
  options.lines_per_second = 1'000'000;
  options.seed = 7;
  Lines again;
  DecisionLog log(options, lines_);
  DecisionLog twin(options, again);
  for (int i = 0; i < 10'000; ++i) {
    Ask(log, {{"user", "free"}});
    twin.Note(rig_.request(), rig_.check(), rig_.decision(), rig_.now);
    Ask(log);
    twin.Note(rig_.request(), rig_.check(), rig_.decision(), rig_.now);
  }
  log.Flush();
  twin.Flush();
  EXPECT_EQ(lines_.text, again.text);
  std::size_t denied = 0;
  for (const json& line : lines_.Parse()) denied += line["decision"] == "deny" ? 1 : 0;
  const std::size_t allowed = log.counts().written - denied;
  EXPECT_NEAR(static_cast<double>(denied), 5000, 200);
  EXPECT_NEAR(static_cast<double>(allowed), 100, 40);
}

TEST_F(DecisionLogTest, NeitherOneNorZeroIsLeftToChance) {
  DecisionLogOptions options;
  options.allow = 0;
  options.deny = 1;
  DecisionLog log(options, lines_);
  for (int i = 0; i < 100; ++i) Ask(log);
  EXPECT_EQ(log.counts().written, 98U);
}

TEST_F(DecisionLogTest, AlwaysLogsTheFirstDenialOfAKeyInAMinute) {
  DecisionLogOptions options;
  options.allow = 0;
  options.deny = 1e-9;
  DecisionLog log(options, lines_);
  for (const char* tenant : {"acme", "globex", "acme", "globex"}) {
    for (int i = 0; i < 5; ++i) Ask(log, {{"tenant", tenant}});
  }
  log.Flush();
  std::vector<json> lines = lines_.Parse();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["descriptor"], json({{"tenant", "acme"}}));
  EXPECT_EQ(lines[1]["descriptor"], json({{"tenant", "globex"}}));
  EXPECT_EQ(lines[0]["first"], true);
  EXPECT_EQ(lines[0]["sample"], 1);
  rig_.now.steady += std::chrono::minutes(1);
  for (int i = 0; i < 5; ++i) Ask(log);
  EXPECT_EQ(log.counts().written, 3U);
}

TEST_F(DecisionLogTest, FirstDenialsAreNotSampledAsWell) {
  DecisionLogOptions options;
  options.deny = 0.5;
  options.lines_per_second = 1'000'000;
  DecisionLog log(options, lines_);
  double stands_for = 0;
  for (int i = 0; i < 2000; ++i) Ask(log);
  log.Flush();
  for (const json& line : lines_.Parse()) {
    if (line["decision"] == "deny") stands_for += 1 / line["sample"].get<double>();
  }
  EXPECT_NEAR(stands_for, 1998, 150);
}

TEST_F(DecisionLogTest, FirstDenialsTakeAtMostHalfOfTheLines) {
  DecisionLogOptions options;
  options.allow = 0;
  options.deny = 1e-9;
  options.lines_per_second = 10;
  DecisionLog log(options, lines_);
  for (int i = 0; i < 100; ++i) {
    const std::string tenant = std::to_string(i);
    for (int j = 0; j < 3; ++j) Ask(log, {{"tenant", tenant}});
  }
  EXPECT_EQ(log.counts().written, 5U);
  EXPECT_EQ(log.counts().dropped, 0U);
}

TEST_F(DecisionLogTest, WithoutDeniedOnesThereAreNoFirstOnes) {
  DecisionLogOptions options;
  options.allow = 0;
  options.deny = 0;
  DecisionLog log(options, lines_);
  for (int i = 0; i < 10; ++i) Ask(log);
  EXPECT_EQ(log.counts().written, 0U);
}

TEST_F(DecisionLogTest, NamesTheRequestAndItsTrace) {
  DecisionLog log(Everything(), lines_);
  rig_.id = "7f3a91c2";
  rig_.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  Ask(log);
  rig_.id = std::string(1000, '\n');
  rig_.traceparent = "nonsense";
  Ask(log);
  rig_.id = "";
  Ask(log);
  log.Flush();
  const std::vector<json> lines = lines_.Parse();
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0]["id"], "7f3a91c2");
  EXPECT_EQ(lines[0]["trace_id"], "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(lines[1]["id"].get<std::string>().size(), kLongestLoggedId);
  EXPECT_FALSE(lines[1].contains("trace_id"));
  EXPECT_FALSE(lines[2].contains("id"));
}

TEST_F(DecisionLogTest, AllInstancesLogTheSameTraces) {
  DecisionLogOptions options;
  options.allow = 0.5;
  options.lines_per_second = 1'000'000;
  DecisionLogOptions elsewhere = options;
  elsewhere.seed = 99;
  Lines other;
  DecisionLog log(options, lines_);
  DecisionLog twin(elsewhere, other);
  for (int i = 1000; i < 1200; ++i) {
    rig_.traceparent =
        "00-4bf92f3577b34da6a3ce929d0e0e" + std::to_string(i) + "-00f067aa0ba902b7-01";
    Ask(log, {{"user", "free"}});
    twin.Note(rig_.request(), rig_.check(), rig_.decision(), rig_.now);
  }
  log.Flush();
  twin.Flush();
  EXPECT_EQ(lines_.text, other.text);
  EXPECT_NEAR(static_cast<double>(log.counts().written), 100, 40);
}

TEST_F(DecisionLogTest, AlwaysLogsWhatAShadowRuleWouldHaveDenied) {
  RuleNode quiet = Tenant(1);
  quiet.rule->shadow_mode = true;
  for (const Profile profile : {Profile::kNative, Profile::kReference}) {
    quiet.rule->quota =
        MakeQuota({.algorithm = Algorithm::kFixedWindow, .limit = 1, .unit = Unit::kMinute})
            .value();
    MetricsRig rig({DomainOf("shop", {quiet})}, profile);
    DecisionLogOptions options;
    options.allow = 0;
    options.deny = 0;
    Lines lines;
    DecisionLog log(options, lines);
    for (int i = 0; i < 5; ++i) {
      EXPECT_TRUE(rig.Ask("shop", {{"tenant", "acme"}}).allowed());
      log.Note(rig.request(), rig.check(), rig.decision(), rig.now);
    }
    log.Flush();
    const std::vector<json> parsed = lines.Parse();
    ASSERT_EQ(parsed.size(), 4U);
    EXPECT_EQ(parsed[0]["decision"], "shadow_deny");
    EXPECT_EQ(parsed[0]["enforced"], "shadow");
    EXPECT_EQ(parsed[0]["rule"], "per-tenant");
    EXPECT_EQ(parsed[0]["sample"], 1);
  }
}

TEST_F(DecisionLogTest, DropsAndCountsLinesBeyondItsRate) {
  DecisionLogOptions options = Everything();
  options.lines_per_second = 10;
  DecisionLog log(options, lines_);
  for (int i = 0; i < 25; ++i) Ask(log);
  EXPECT_EQ(log.counts().written, 10U);
  EXPECT_EQ(log.counts().dropped, 15U);
  rig_.now.steady += std::chrono::seconds(1);
  Ask(log);
  EXPECT_EQ(log.counts().written, 11U);
}

TEST_F(DecisionLogTest, HandsOverEarlyWhenItsBufferIsFull) {
  DecisionLogOptions options = Everything();
  options.lines_per_second = 100'000;
  DecisionLog log(options, lines_);
  for (int i = 0; i < 1000; ++i) Ask(log);
  EXPECT_GE(lines_.text.size(), DecisionLog::kMostBuffered);
}

TEST_F(DecisionLogTest, HashesValuesAndKeysOnRequest) {
  DecisionLogOptions options = Everything();
  options.privacy = {.hashed = true, .key = {1, 2}};
  DecisionLog log(options, lines_);
  Ask(log);
  Ask(log);
  log.Flush();
  EXPECT_EQ(lines_.text.find("acme"), std::string::npos);
  const std::vector<json> lines = lines_.Parse();
  const std::string value = lines[0]["descriptor"]["tenant"];
  EXPECT_EQ(value.size(), 18U);
  EXPECT_EQ(value.substr(0, 2), "h:");
  EXPECT_EQ(lines[0]["key"], lines[1]["key"]);
}

TEST_F(DecisionLogTest, KeepsHostileTextsOnOneBoundedLine) {
  const std::string huge(100'000, '\xff');
  std::vector<Entry> entries(1000, Entry{"k\"\n", huge});
  DecisionLog log(Everything(), lines_);
  Ask(log, entries, "a\x01\n\xc3");
  log.Flush();
  const std::vector<json> lines = lines_.Parse();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["entries_left_out"], 984);
  EXPECT_EQ(lines[0]["descriptor"].size(), kMostLoggedEntries);
  EXPECT_TRUE(lines[0]["descriptor"].contains("k\"\n#2"));
  EXPECT_LT(lines_.text.size(), 20'000U);
}

TEST_F(DecisionLogTest, WritesWindowsThatAreNoUnit) {
  std::string out;
  AppendLimit(
      MakeQuota(
          {.algorithm = Algorithm::kFixedWindow, .limit = 5, .window = std::chrono::seconds(10)})
          .value(),
      out);
  EXPECT_EQ(out, "5/10s");
}

}  // namespace
}  // namespace weir::observe
