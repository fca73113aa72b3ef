// What a request is answered (9.3).

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/reference/section9_world.h"

namespace weir::reference {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr std::string_view kPolicy = R"(domain: d
descriptors:
  - {key: hard, rate_limit: {unit: minute, requests_per_unit: 1}}
  - {key: wide, rate_limit: {unit: minute, requests_per_unit: 100}}
  - {key: quiet, shadow_mode: true, rate_limit: {unit: minute, requests_per_unit: 1}}
  - {key: soft, quota_mode: true, rate_limit: {unit: minute, requests_per_unit: 1}}
  - {key: soft_wide, quota_mode: true, rate_limit: {unit: minute, requests_per_unit: 100}}
  - {key: free, rate_limit: {unlimited: true}}
)";

// Spends what `key` has, so that its next hit is over.
void Exhaust(Section9World& world, std::string_view key) {
  world.Ask("d", {{key, "1"}});
}

TEST(Section9Test, R9_3_1_NoMatchIsOkWithAnEmptyStatus) {
  Section9World world(kPolicy);
  const RateLimitResponse& answer = world.Ask("d", {{"none", "1"}});
  EXPECT_FALSE(answer.over);
  ASSERT_EQ(answer.statuses.size(), 1U);
  EXPECT_FALSE(answer.statuses[0].over);
  EXPECT_FALSE(answer.statuses[0].has_limit);
  EXPECT_EQ(answer.statuses[0].remaining, 0U);
  EXPECT_TRUE(answer.headers.empty());
}

TEST(Section9Test, R9_3_2_AnyHardOverLimitMakesTheWholeOverLimitWhateverTheOrder) {
  for (const bool first : {true, false}) {
    Section9World world(kPolicy);
    Exhaust(world, "hard");
    const TestRequest hard_first("d", {{{"hard", "1"}}, {{"wide", "1"}}});
    const TestRequest hard_last("d", {{{"wide", "1"}}, {{"hard", "1"}}});
    const RateLimitResponse& answer = world.Ask(first ? hard_first : hard_last);
    EXPECT_TRUE(answer.over);
    EXPECT_EQ(answer.statuses[0].over, first);
    EXPECT_EQ(answer.statuses[1].over, !first);
  }
}

TEST(Section9Test, R9_3_3_AFailedReloadKeepsTheOldConfig) {
  Section9World world(kPolicy);
  EXPECT_EQ(world.Load("domain: d\ndescriptors: [{value: x}]\n"),
            "policy.yaml: descriptor has empty key");
  EXPECT_TRUE(world.Ask("d", {{"hard", "1"}}).statuses[0].has_limit);
  EXPECT_EQ(world.Load("domain: d\ndescriptors: [{key: other}]\n"), "");
  EXPECT_FALSE(world.Ask("d", {{"hard", "1"}}).statuses[0].has_limit);
}

TEST(Section9Test, R9_3_4_GlobalShadowAnswersOkAndLeavesTheStatuses) {
  ResponseOptions shadow;
  shadow.global_shadow = true;
  Section9World world(kPolicy, {}, shadow);
  EXPECT_FALSE(world.Ask("d", {{"hard", "1"}}).globally_shadowed);
  const RateLimitResponse& answer = world.Ask("d", {{"hard", "1"}});
  EXPECT_FALSE(answer.over);
  EXPECT_TRUE(answer.statuses[0].over);
  EXPECT_TRUE(answer.globally_shadowed);
}

TEST(Section9Test, R9_3_5_ShadowRuleAnswersOkAndMixedIsOverLimit) {
  Section9World world(kPolicy);
  Exhaust(world, "quiet");
  const RateLimitResponse& alone = world.Ask("d", {{"quiet", "1"}});
  EXPECT_FALSE(alone.over);
  EXPECT_FALSE(alone.statuses[0].over);
  EXPECT_EQ(alone.statuses[0].remaining, 0U);
  EXPECT_EQ(world.Counted("d.quiet").shadow_mode, 1U);
  Exhaust(world, "hard");
  const RateLimitResponse& mixed = world.Ask(TestRequest("d", {{{"quiet", "1"}}, {{"hard", "1"}}}));
  EXPECT_TRUE(mixed.over);
  EXPECT_FALSE(mixed.statuses[0].over);
  EXPECT_TRUE(mixed.statuses[1].over);
}

std::vector<std::string> HeadersOf(const RateLimitResponse& answer) {
  std::vector<std::string> lines;
  for (const HeaderLine& line : answer.headers) {
    lines.push_back(std::string(line.name) + ": " + std::string(line.value));
  }
  return lines;
}

TEST(Section9Test, R9_3_6_DefaultHeadersTellTheLimitTheRemainderAndTheReset) {
  ResponseOptions options;
  options.reference_headers = true;
  Section9World world(kPolicy, {}, options, 2222);
  EXPECT_THAT(
      HeadersOf(world.Ask("d", {{"wide", "1"}}, 4)),
      ElementsAre("RateLimit-Limit: 100", "RateLimit-Remaining: 96", "RateLimit-Reset: 58"));
  EXPECT_EQ(world.Ask("d", {{"wide", "1"}}).statuses[0].reset, 58s);
}

TEST(Section9Test, R9_3_6_HeadersMayBeCalledOtherwise) {
  ResponseOptions options;
  options.reference_headers = true;
  options.reference_names.limit = "A-Ratelimit-Limit";
  options.reference_names.remaining = "A-Ratelimit-Remaining";
  options.reference_names.reset = "A-Ratelimit-Reset";
  Section9World world(kPolicy, {}, options, 2222);
  Exhaust(world, "hard");
  const TestRequest both("d", {{{"wide", "1"}}, {{"hard", "1"}}});
  EXPECT_THAT(
      HeadersOf(world.Ask(both)),
      ElementsAre("A-Ratelimit-Limit: 1", "A-Ratelimit-Remaining: 0", "A-Ratelimit-Reset: 58"));
}

TEST(Section9Test, R9_3_8_AnUnlimitedRuleSaysTheLargestRemainderAndAsksNoStore) {
  Section9World world(kPolicy);
  const RateLimitResponse& answer = world.Ask(TestRequest("d", {{{"free", "1"}}, {{"wide", "1"}}}));
  EXPECT_FALSE(answer.over);
  EXPECT_EQ(answer.statuses[0].remaining, 4294967295U);
  EXPECT_FALSE(answer.statuses[0].has_limit);
  EXPECT_EQ(world.check().hits.size(), 1U);  // That of the other descriptor.
  EXPECT_THAT(world.CountedKeys(), ElementsAre("d.wide"));
}

// What `keys` answer together, once those in `over` have nothing left.
bool OverAll(const std::vector<std::string_view>& keys, const std::vector<std::string_view>& over,
             ResponseOptions options = {}) {
  Section9World world(kPolicy, {}, std::move(options));
  for (const std::string_view key : over) Exhaust(world, key);
  std::vector<std::vector<Entry>> entries;
  entries.reserve(keys.size());
  for (const std::string_view key : keys) entries.push_back({{key, "1"}});
  const RateLimitResponse& answer = entries.size() == 1
                                        ? world.Ask(TestRequest("d", {entries[0]}))
                                        : world.Ask(TestRequest("d", {entries[0], entries[1]}));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool expected = std::find(over.begin(), over.end(), keys[i]) != over.end();
    EXPECT_EQ(answer.statuses[i].over, expected) << keys[i];
  }
  return answer.over;
}

TEST(Section9Test, R9_3_11_AllQuotasOverIsOverLimitAndSomeAreOk) {
  EXPECT_TRUE(OverAll({"soft"}, {"soft"}));
  EXPECT_FALSE(OverAll({"soft", "soft_wide"}, {"soft"}));
  EXPECT_FALSE(OverAll({"soft_wide", "soft"}, {"soft"}));
  EXPECT_FALSE(OverAll({"soft", "soft_wide"}, {}));
}

TEST(Section9Test, R9_3_11_AHardOverLimitDeniesWhateverTheQuotas) {
  EXPECT_TRUE(OverAll({"hard", "soft_wide"}, {"hard"}));
  EXPECT_TRUE(OverAll({"hard", "soft"}, {"hard", "soft"}));
}

TEST(Section9Test, R9_3_11_TheOnlyQuotaOverDeniesThoughHardRulesPass) {
  EXPECT_TRUE(OverAll({"wide", "soft"}, {"soft"}));
}

TEST(Section9Test, R9_3_11_GlobalShadowGoesBeforeQuotas) {
  ResponseOptions shadow;
  shadow.global_shadow = true;
  EXPECT_FALSE(OverAll({"soft"}, {"soft"}, shadow));
}

TEST(Section9Test, R9_3_11_UnderQuotaModeEveryDescriptorIsAQuotaAlsoOneWithoutARule) {
  ResponseOptions quotas;
  quotas.global_quota = true;
  EXPECT_TRUE(OverAll({"hard"}, {"hard"}, quotas));
  EXPECT_FALSE(OverAll({"hard", "wide"}, {"hard"}, quotas));
  EXPECT_FALSE(OverAll({"hard", "none"}, {"hard"}, quotas));
  EXPECT_TRUE(OverAll({"hard", "free"}, {"hard"}, quotas));  // An unlimited rule is none.
}

constexpr std::string_view kWithMetadata = R"(domain: d
descriptors:
  - key: a
    metadata: {who: a, both: {x: 1}}
    rate_limit: {unit: minute, requests_per_unit: 1}
  - key: b
    metadata: {who: b, own: b, both: {x: 2, y: 2}}
    rate_limit: {unit: minute, requests_per_unit: 100}
  - {key: plain, rate_limit: {unit: minute, requests_per_unit: 100}}
)";

Value Text(std::string text) {
  return Value{std::move(text)};
}
Value EntriesOf(std::vector<std::string> texts) {
  Value::List list;
  for (std::string& text : texts) list.push_back(Text(std::move(text)));
  return Value{std::move(list)};
}

const Value* Find(const Value::Struct& in, std::string_view name) {
  for (const Member& member : in) {
    if (member.first == name) return &member.second;
  }
  return nullptr;
}

class Section9Metadata {
 public:
  const Value::Struct& Ask(const TestRequest& request) { return *world_.Ask(request).metadata; }

 private:
  static ResponseOptions Options() {
    ResponseOptions options;
    options.dynamic_metadata = true;
    return options;
  }
  Section9World world_{kWithMetadata, {}, Options()};
};

TEST(Section9Test, R9_3_12_MetadataHasTheQuestionInItsLayout) {
  Section9Metadata service;
  TestRequest request("d", {{{"plain", "1"}, {"", "x"}}, {{"k", "v"}}});
  request.WithCost(0, 0).WithLimit(1, 5, Unit::kHour);
  const Value::Struct& said = service.Ask(request);
  EXPECT_EQ(*Find(said, "domain"), Text("d"));
  EXPECT_EQ(Find(said, "metadata"), nullptr);
  EXPECT_EQ(Find(said, "hitsAddend"), nullptr);
  const auto& descriptors = std::get<Value::List>(Find(said, "descriptors")->held);
  ASSERT_EQ(descriptors.size(), 2U);
  EXPECT_EQ(*Find(*descriptors[0].as_struct(), "entries"), EntriesOf({"plain=1", "=x"}));
  EXPECT_EQ(*Find(*descriptors[0].as_struct(), "hitsAddend"), Value{0.0});
  EXPECT_EQ(Find(*descriptors[0].as_struct(), "limit"), nullptr);
  EXPECT_EQ(Find(*descriptors[1].as_struct(), "hitsAddend"), nullptr);
  EXPECT_NE(Find(*descriptors[1].as_struct(), "limit"), nullptr);
}

TEST(Section9Test, R9_3_12_MetadataOfAllThatPassedIsMergedAndTheFirstWins) {
  Section9Metadata service;
  const TestRequest both("d", {{{"a", "1"}}, {{"b", "1"}}});
  const Value::Struct merged = *Find(service.Ask(both), "metadata")->as_struct();
  EXPECT_EQ(*Find(merged, "who"), Text("a"));
  EXPECT_EQ(*Find(merged, "own"), Text("b"));
  const Value::Struct nested = *Find(merged, "both")->as_struct();
  EXPECT_EQ(*Find(nested, "x"), Value{1.0});
  EXPECT_EQ(*Find(nested, "y"), Value{2.0});
  // `a` is over now: what it says is left out.
  const Value::Struct passed = *Find(service.Ask(both), "metadata")->as_struct();
  EXPECT_EQ(*Find(passed, "who"), Text("b"));
  EXPECT_EQ(*Find(*Find(passed, "both")->as_struct(), "x"), Value{2.0});
}

}  // namespace
}  // namespace weir::reference
