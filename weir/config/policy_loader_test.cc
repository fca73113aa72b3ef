#include "weir/config/policy_loader.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weir/config/policy_rig.h"
#include "weir/config/render.h"
#include "weir/core/policy.h"

namespace weir {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PolicyLoaderTest, BuildsTheTreeInFileOrderWithPlaces) {
  const LoadedPolicy loaded = Load(
      "domain: shop\n"
      "descriptors:\n"
      "  - key: tenant\n"
      "    value: acme\n"
      "    rate_limit: {name: one, unit: MINUTE, requests_per_unit: 5, replaces: [{name: m}]}\n"
      "    shadow_mode: yes\n"
      "    quota_mode: on\n"
      "    detailed_metric: true\n"
      "    descriptors:\n"
      "      - key: path\n"
      "        value: /v1/*\n"
      "        share_threshold: true\n"
      "        value_to_metric: true\n"
      "        rate_limit: {name: m, unlimited: true}\n");
  EXPECT_THAT(Codes(loaded), IsEmpty());
  EXPECT_EQ(loaded.rules, 2U);
  ASSERT_EQ(loaded.domains.size(), 1U);
  EXPECT_EQ(loaded.domains[0].name, "shop");
  EXPECT_EQ(loaded.domains[0].where, (SourcePosition{"shop.yaml", 1, 9}));
  const RuleNode& acme = loaded.domains[0].children.at(0);
  EXPECT_EQ(acme.key, "tenant");
  EXPECT_EQ(acme.value, "acme");
  EXPECT_EQ(acme.where, (SourcePosition{"shop.yaml", 3, 5}));
  ASSERT_TRUE(acme.rule);
  EXPECT_EQ(acme.rule->name, "one");
  EXPECT_EQ(acme.rule->quota.unit, Unit::kMinute);
  EXPECT_EQ(acme.rule->quota.limit, 5U);
  EXPECT_THAT(acme.rule->replaces, ElementsAre("m"));
  EXPECT_TRUE(acme.rule->shadow_mode && acme.rule->quota_mode && acme.rule->detailed_metric);
  const RuleNode& path = acme.children.at(0);
  EXPECT_EQ(path.where, (SourcePosition{"shop.yaml", 10, 9}));
  EXPECT_TRUE(path.share_threshold && path.value_to_metric && path.rule->unlimited);
}

TEST(PolicyLoaderTest, TheProfileChoosesTheAlgorithm) {
  const std::string text = kHead + "    rate_limit: {unit: second, requests_per_unit: 5}\n";
  EXPECT_EQ(OnlyRule(Load(text)).quota.algorithm, Algorithm::kTokenBucket);
  EXPECT_EQ(OnlyRule(Load(text)).quota.burst, 5U);
  LoadOptions reference = Quiet();
  reference.profile = Profile::kReference;
  EXPECT_EQ(OnlyRule(Load(text, reference)).quota.algorithm, Algorithm::kFixedWindow);
}

TEST(PolicyLoaderTest, ReadsTheWholeNativeBlock) {
  const LoadedPolicy loaded =
      Load(kHead +
           "    rate_limit: {requests_per_unit: 5}\n"
           "    weir:\n"
           "      algorithm: token_bucket\n"
           "      window: 10s\n"
           "      burst: 20\n"
           "      enforce: 25%\n"
           "      owner: team-edge\n"
           "      reason: costs money\n"
           "      security: true\n"
           "      review_by: 2027-01-31\n"
           "      shard_by: tenant\n"
           "      on_store_failure:\n"
           "        mode: static\n"
           "        split: learned\n"
           "        learned_weight: 0.5\n"
           "        causes: {oom: closed}\n"
           "        then: [{after: 10m, mode: local_share}, {after: 1h, mode: closed}]\n"
           "        strict_share: true\n"
           "        cold: local_share\n");
  EXPECT_THAT(Codes(loaded), IsEmpty());
  const Rule& rule = OnlyRule(loaded);
  EXPECT_EQ(rule.quota.window, Duration(std::chrono::seconds(10)));
  EXPECT_EQ(rule.quota.unit, Unit::kUnknown);
  EXPECT_EQ(rule.quota.burst, 20U);
  EXPECT_EQ(rule.enforce_percent, 25U);
  EXPECT_EQ(rule.annotations, (Annotations{"team-edge", "costs money", "2027-01-31", true}));
  FailurePolicy expected;
  expected.mode = FailureMode::kStatic;
  expected.split = ShareSplit::kLearned;
  expected.learned_weight = 0.5;
  expected.strict_share = true;
  expected.cold = FailureMode::kLocalShare;
  expected.causes[static_cast<std::size_t>(Cause::kOom)] = FailureMode::kClosed;
  expected.then = {{std::chrono::minutes(10), FailureMode::kLocalShare},
                   {std::chrono::hours(1), FailureMode::kClosed}};
  EXPECT_EQ(rule.on_store_failure, expected);
}

TEST(PolicyLoaderTest, TheBlockMayStandBelowMetadata) {
  const std::string text = kHead +
                           "    rate_limit: {unit: second, requests_per_unit: 5}\n"
                           "    metadata: {plan: gold, weir: {burst: 9}}\n";
  const LoadedPolicy loaded = Load(text);
  EXPECT_THAT(Codes(loaded), IsEmpty());
  EXPECT_EQ(OnlyRule(loaded).quota.burst, 9U);
  // It is ours, not for the caller; the reference service would send it along.
  ASSERT_EQ(OnlyRule(loaded).metadata.as_struct()->size(), 1U);
  LoadOptions reference = Quiet();
  reference.profile = Profile::kReference;
  const LoadedPolicy as_there = Load(text, reference);
  EXPECT_TRUE(as_there.ok());
  EXPECT_EQ(as_there.reference_refusal, "");
  EXPECT_EQ(OnlyRule(as_there).metadata.as_struct()->size(), 2U);
}

TEST(PolicyLoaderTest, MetadataBecomesAValue) {
  const LoadedPolicy loaded = Load(kHead +
                                   "    rate_limit: {unit: second, requests_per_unit: 5}\n"
                                   "    metadata: {a: 1, b: [x, true, ~], c: {d: 1.5}, a: 2}\n");
  const Value::Struct& members = *OnlyRule(loaded).metadata.as_struct();
  ASSERT_EQ(members.size(), 3U);
  EXPECT_EQ(members[0], (Member("a", Value{2.0})));
  EXPECT_EQ(members[1].second, (Value{Value::List{Value{std::string("x")}, Value{true}, Value{}}}));
}

TEST(PolicyLoaderTest, MetadataThatNoAnswerCanCarryIsRefusedAsThere) {
  const std::string rule = kHead + "    rate_limit: {unit: second, requests_per_unit: 5}\n";
  EXPECT_TRUE(Load(rule + "    metadata: {a: !!binary aGk=}\n").ok());
  for (const char* bad :
       {"{a: !!binary /w==}", "{a: {b: [x, !!binary /w==]}}", "{a: {!!binary /w==: x}}"}) {
    const std::string text = rule + "    metadata: " + bad + "\n";
    for (const Profile profile : {Profile::kNative, Profile::kReference}) {
      LoadOptions options = Quiet();
      options.profile = profile;
      const LoadedPolicy loaded = Load(text, options);
      EXPECT_THAT(Codes(loaded), ElementsAre("P005")) << bad;
      EXPECT_THAT(loaded.reference_refusal, testing::HasSubstr("error parsing metadata: ")) << bad;
    }
  }
}

TEST(PolicyLoaderTest, TheNearestChoiceForAnOutageWins) {
  const std::string text =
      "domain: shop\n"
      "weir: {on_store_failure: static, owner: us}\n"
      "descriptors:\n"
      "  - key: a\n"
      "    rate_limit: {unit: second, requests_per_unit: 5}\n"
      "    weir: {on_store_failure: closed}\n"
      "  - key: b\n"
      "    rate_limit: {unit: second, requests_per_unit: 5}\n";
  const LoadedPolicy loaded = Load(text);
  const auto& children = loaded.domains.at(0).children;
  EXPECT_EQ(children[0].rule->on_store_failure->mode, FailureMode::kClosed);
  EXPECT_EQ(children[1].rule->on_store_failure->mode, FailureMode::kStatic);
  EXPECT_EQ(children[1].rule->annotations.owner, "us");
  EXPECT_EQ(OnlyRule(Load(kHead + "    rate_limit: {unit: second, requests_per_unit: 5}\n"))
                .on_store_failure->mode,
            FailureMode::kOpen);
}

TEST(PolicyLoaderTest, AMissingChoiceIsAnErrorWithASharedStoreInBothProfiles) {
  const std::string text = kHead + "    rate_limit: {unit: second, requests_per_unit: 5}\n";
  for (const Profile profile : {Profile::kNative, Profile::kReference}) {
    LoadOptions options;
    options.profile = profile;
    EXPECT_TRUE(Load(text, options).ok());
    EXPECT_THAT(Codes(Load(text, options)), ElementsAre("P030"));
    options.shared_store = true;
    const LoadedPolicy loaded = Load(text, options);
    EXPECT_FALSE(loaded.ok());
    const std::string shown = RenderText(loaded.diagnostics, {});
    for (const char* word : {"open:", "closed:", "local_share:", "static:"}) {
      EXPECT_NE(shown.find(word), std::string::npos) << word;
    }
    // One flag is enough.
    options.default_on_store_failure = FailureMode::kStatic;
    EXPECT_TRUE(Load(text, options).ok());
  }
}

TEST(PolicyLoaderTest, TheWordErrorBelongsToTheReferenceProfile) {
  const std::string text = kHead +
                           "    rate_limit: {unit: second, requests_per_unit: 5}\n"
                           "    weir: {on_store_failure: error}\n";
  EXPECT_THAT(Codes(Load(text)), ElementsAre("P031"));
  LoadOptions reference = Quiet();
  reference.profile = Profile::kReference;
  EXPECT_THAT(Codes(Load(text, reference)), IsEmpty());
}

TEST(PolicyLoaderTest, ClosedForTheWholeProcessDrawsAWarning) {
  LoadOptions options;
  options.default_on_store_failure = FailureMode::kClosed;
  EXPECT_THAT(Codes(Load("domain: shop\n", options)), ElementsAre("P034"));
}

TEST(PolicyLoaderTest, AllMonthsMayBeTheCalendars) {
  LoadOptions options = Quiet();
  options.calendar_months = true;
  const auto calendar = [&](Profile profile, const std::string& more) {
    options.profile = profile;
    const LoadedPolicy loaded = Load(kHead + more, options);
    EXPECT_TRUE(loaded.ok());
    return OnlyRule(loaded).quota.calendar;
  };
  const std::string month = "    rate_limit: {unit: month, requests_per_unit: 5}\n";
  EXPECT_TRUE(calendar(Profile::kReference, month));
  EXPECT_FALSE(
      calendar(Profile::kReference, "    rate_limit: {unit: day, requests_per_unit: 5}\n"));
  EXPECT_FALSE(calendar(Profile::kNative, month)) << "a bucket has no windows";
  EXPECT_TRUE(calendar(Profile::kNative, month + "    weir: {algorithm: fixed_window}\n"));
  EXPECT_FALSE(
      calendar(Profile::kNative, month + "    weir: {algorithm: fixed_window, calendar: false}\n"));
}

TEST(PolicyLoaderTest, CalendarMonthsAreAnOption) {
  const auto with = [](const std::string& block) {
    return Load(kHead + "    rate_limit: {unit: month, requests_per_unit: 5}\n    weir: " + block);
  };
  const LoadedPolicy good = with("{algorithm: fixed_window, calendar: true}\n");
  EXPECT_THAT(Codes(good), IsEmpty());
  EXPECT_TRUE(OnlyRule(good).quota.calendar);
  EXPECT_THAT(Codes(with("{calendar: true}\n")), ElementsAre("P037"));
}

TEST(PolicyLoaderTest, AUnitAndAWindowExcludeEachOther) {
  EXPECT_THAT(Codes(Load(kHead + "    rate_limit: {unit: second, requests_per_unit: 5}\n"
                                 "    weir: {window: 10s}\n")),
              ElementsAre("P037"));
}

TEST(PolicyLoaderTest, SpellingsThatOnlyTheReferenceConfusesStandSideBySide) {
  const std::string text =
      "domain: d\ndescriptors:\n"
      "  - {key: a_b, rate_limit: {unit: second, requests_per_unit: 5}}\n"
      "  - {key: a, value: b, rate_limit: {unit: second, requests_per_unit: 5}}\n";
  const LoadedPolicy native = Load(text);
  EXPECT_THAT(Codes(native), IsEmpty());
  EXPECT_EQ(native.domains[0].children.size(), 2U);
  EXPECT_EQ(native.reference_refusal, "shop.yaml: duplicate descriptor composite key 'd.a_b'");
  LoadOptions reference = Quiet();
  reference.profile = Profile::kReference;
  EXPECT_THAT(Codes(Load(text, reference)), ElementsAre("P007"));
}

TEST(PolicyLoaderTest, ReasonsExplainZeroLimitsAndExemptions) {
  EXPECT_THAT(Codes(Load(kHead + "    rate_limit: {unit: second, requests_per_unit: 0}\n"
                                 "    weir: {reason: banned}\n"
                                 "  - key: tenant\n"
                                 "    value: us\n"
                                 "    weir: {reason: our own probes}\n")),
              IsEmpty());
}

TEST(PolicyLoaderTest, MergesDomainsOnlyWhenAsked) {
  const std::vector<SourceFile> files = {
      {"a.yaml", "domain: d\ndescriptors: [{key: a, rate_limit: {unlimited: true}}]\n"},
      {"b.yaml", "domain: d\ndescriptors: [{key: b, rate_limit: {unlimited: true}}]\n"}};
  EXPECT_THAT(Codes(LoadPolicy(files, Quiet())), ElementsAre("P009"));
  LoadOptions merging = Quiet();
  merging.merge_domains = true;
  const LoadedPolicy merged = LoadPolicy(files, merging);
  EXPECT_THAT(Codes(merged), IsEmpty());
  ASSERT_EQ(merged.domains.size(), 1U);
  EXPECT_EQ(merged.domains[0].children.size(), 2U);
  EXPECT_EQ(merged.domains[0].children[1].where.file, "b.yaml");
}

TEST(PolicyLoaderTest, OneBadFileRefusesThemAllYetAllAreChecked) {
  const std::vector<SourceFile> files = {{"a.yaml", "domain: ["},
                                         {"b.yaml", "domain: b\nfoo: 1\n"},
                                         {"c.yaml", ""},
                                         {"d.yaml", "domain: d\n"}};
  const LoadedPolicy loaded = LoadPolicy(files, Quiet());
  EXPECT_FALSE(loaded.ok());
  EXPECT_THAT(Codes(loaded), ElementsAre("P001", "P003", "P008"));
}

TEST(PolicyLoaderTest, PatternsHideWhatTheyCoverAndNothingElse) {
  const auto hidden = [](const std::string& values) {
    std::string text = "domain: d\ndescriptors:\n";
    for (std::size_t i = 0; i < values.size();) {
      const std::size_t end = std::min(values.find(' ', i), values.size());
      const std::string value = values.substr(i, end - i);
      text += "  - {key: k, value: \"" + (value == "-" ? std::string() : value) +
              "\", rate_limit: {unlimited: true}}\n";
      i = end + 1;
    }
    const auto codes = Codes(Load(text));
    return std::count(codes.begin(), codes.end(), "P026");
  };
  EXPECT_EQ(hidden("a* ab*"), 1);
  EXPECT_EQ(hidden("ab* a*"), 0);
  EXPECT_EQ(hidden("a* ab"), 0) << "an exact value comes first anyway";
  EXPECT_EQ(hidden("a*c a*b*c"), 1);
  EXPECT_EQ(hidden("*x* *y*"), 0);
  EXPECT_EQ(hidden("- *"), 1) << "no value is left for the key alone";
}

TEST(SelectPolicyFilesTest, C105_TakesYamlFilesOnceAndNoHiddenCopies) {
  EXPECT_THAT(SelectPolicyFiles({"b.yaml", "a.yml", "..data/rl.yaml", ".hidden.yaml", "notes.txt",
                                 "sub/c.yaml", "..2024_a/rl.yaml"},
                                PolicyLayout::kFlat),
              ElementsAre("a.yml", "b.yaml"));
}

TEST(SelectPolicyFilesTest, TheRuntimeLayoutTakesEveryFileAtAnyDepth) {
  const std::vector<std::string> listing = {"x/b.conf", "a", "..data/rl.yaml", "x/.git/c"};
  EXPECT_THAT(SelectPolicyFiles(listing, PolicyLayout::kRuntime), ElementsAre("a", "x/b.conf"));
  EXPECT_EQ(SelectPolicyFiles(listing, PolicyLayout::kRuntime, false).size(), 4U);
  EXPECT_EQ(ReferenceFileKey("config/basic.yaml"), "config.basic.yaml");
}

TEST(SelectPolicyFilesTest, AKeyPrefixChoosesAmongAllFilesOfTheRoot) {
  EXPECT_THAT(SelectPolicyFiles({"config/a.yaml", "config/x/b.conf", "config.c", "config.d/e",
                                 "configs/f", "other/config/g", "a.yaml", "config"},
                                PolicyLayout::kRuntime, false, "config."),
              ElementsAre("config.c", "config.d/e", "config/a.yaml", "config/x/b.conf"));
}

TEST(SelectPolicyFilesTest, OfTwoFilesWithOneKeyTheLastOneWalkedCounts) {
  EXPECT_THAT(SelectPolicyFiles({"config/a.yaml", "config.a.yaml", "x.y/z", "x/y.z", "x/y/z"},
                                PolicyLayout::kRuntime),
              ElementsAre("config.a.yaml", "x.y/z"));
}

TEST(PolicyLoaderTest, WhatIsLoadedCanBeBuilt) {
  LoadedPolicy loaded = Load(kHead + "    rate_limit: {unit: second, requests_per_unit: 5}\n");
  const auto policy = Policy::Build(std::move(loaded.domains), {});
  ASSERT_NE(policy->FindRule("shop/tenant"), nullptr);
  EXPECT_EQ(policy->FindRule("shop/tenant")->where.line, 3U);
}

}  // namespace
}  // namespace weir
