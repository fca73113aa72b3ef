// Policy files: which are accepted, and what is said of the others (9.1).  The texts are those of
// the reference service; `weir check` and the log say the same in their own words, with file, line
// and column.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "test/reference/section9_world.h"

namespace weir::reference {
namespace {

// What is said of files of these texts, behind the file's name; nothing if they are accepted.  What
// loads under the profile is exactly what is accepted.
std::string Verdict(const std::vector<std::string>& texts, bool merge = false) {
  std::vector<SourceFile> files;
  for (const std::string& text : texts) {
    files.push_back({"f" + std::to_string(files.size()) + ".yaml", text});
  }
  LoadOptions options;
  options.profile = Profile::kReference;
  options.merge_domains = merge;
  const LoadedPolicy loaded = LoadPolicy(files, options);
  const ReferenceVerdict verdict = JudgeAsReference(files, merge);
  EXPECT_EQ(loaded.ok(), verdict.accepted);
  EXPECT_EQ(loaded.reference_refusal, verdict.message);
  const std::size_t colon = verdict.message.find(": ");
  return colon == std::string::npos ? verdict.message : verdict.message.substr(colon + 2);
}

std::string WithDescriptor(std::string_view lines) {
  return "domain: test-domain\ndescriptors:\n" + std::string(lines);
}

TEST(Section9Test, R9_1_BasicConfigIsAccepted) {
  EXPECT_EQ(Verdict({std::string(kBasicConfig)}), "");
}

TEST(Section9Test, R9_1_ShadowModeStandsOnTheRulesThatHaveItOnly) {
  Section9World world(R"(domain: test-domain
descriptors:
  - key: key1
    value: value1
    descriptors:
      - key: subkey1
        rate_limit: {unit: second, requests_per_unit: 5}
      - key: subkey1
        value: subvalue1
        shadow_mode: true
        rate_limit: {unit: second, requests_per_unit: 10}
  - key: key2
    shadow_mode: true
    rate_limit: {unit: minute, requests_per_unit: 20}
  - key: key2
    value: value2
    rate_limit: {unit: minute, requests_per_unit: 30}
)");
  const auto in_shadow = [&](std::vector<Entry> entries) {
    world.Ask("test-domain", std::move(entries));
    return world.check().matches.at(0).rule->shadow_mode;
  };
  EXPECT_FALSE(in_shadow({{"key1", "value1"}, {"subkey1", "something"}}));
  EXPECT_TRUE(in_shadow({{"key1", "value1"}, {"subkey1", "subvalue1"}}));
  EXPECT_TRUE(in_shadow({{"key2", "something"}}));
  EXPECT_FALSE(in_shadow({{"key2", "value2"}}));
}

TEST(Section9Test, R9_1_WildcardsAreAcceptedAtEveryPlaceAndLevel) {
  EXPECT_EQ(Verdict({R"(domain: test-domain
descriptors:
  - {key: wild, value: foo*, rate_limit: {unit: minute, requests_per_unit: 20}}
  - {key: wild, value: bar*b, rate_limit: {unit: minute, requests_per_unit: 20}}
  - {key: wild, value: foo*bar*baz, rate_limit: {unit: minute, requests_per_unit: 20}}
  - key: nest
    value: nest
    descriptors:
      - {key: goo, value: goo*, rate_limit: {unit: minute, requests_per_unit: 20}}
)"}),
            "");
}

TEST(Section9Test, R9_1_ShareThresholdIsAcceptedWithWildcardsAndMetricFlags) {
  EXPECT_EQ(Verdict({R"(domain: test-domain
descriptors:
  - {key: f, value: files/*, share_threshold: true, rate_limit: {unit: hour, requests_per_unit: 5}}
  - {key: f, value: a*b, share_threshold: true, value_to_metric: true, rate_limit: {unit: hour, requests_per_unit: 5}}
  - key: g
    value: a*b*c
    share_threshold: true
    descriptors:
      - {key: h, value: 'x*', share_threshold: true, detailed_metric: true, rate_limit: {unit: hour, requests_per_unit: 5}}
)"}),
            "");
}

TEST(Section9Test, R9_1_MetadataIsAcceptedAndReturnedOnTheRule) {
  Section9World world(R"(domain: test-domain
descriptors:
  - key: flat
    metadata: {tier: gold, weight: 3}
    rate_limit: {unit: minute, requests_per_unit: 20}
  - key: nested
    metadata: {service: {name: shop, tags: [a, b]}}
    rate_limit: {unit: minute, requests_per_unit: 20}
)");
  world.Ask("test-domain", {{"flat", "1"}});
  EXPECT_EQ(*world.check().matches.at(0).rule->metadata.as_struct(),
            (Value::Struct{{"tier", Value{std::string("gold")}}, {"weight", Value{3.0}}}));
  world.Ask("test-domain", {{"nested", "1"}});
  const Value::List tags = {Value{std::string("a")}, Value{std::string("b")}};
  const Value::Struct service = {{"name", Value{std::string("shop")}}, {"tags", Value{tags}}};
  EXPECT_EQ(*world.check().matches.at(0).rule->metadata.as_struct(),
            (Value::Struct{{"service", Value{service}}}));
}

constexpr std::string_view kMergeKey1 =
    "domain: test-domain\n"
    "descriptors: [{key: key1, value: value1, rate_limit: {unit: second, requests_per_unit: 1}}]\n";
constexpr std::string_view kMergeKey2 =
    "domain: test-domain\n"
    "descriptors: [{key: key2, rate_limit: {unit: second, requests_per_unit: 1}}]\n";

TEST(Section9Test, R9_1_OneDomainInTwoFilesNeedsMergeDomains) {
  const std::vector<std::string> both = {std::string(kMergeKey1), std::string(kMergeKey2)};
  EXPECT_EQ(Verdict(both, true), "");
  EXPECT_EQ(Verdict(both, false), "duplicate domain 'test-domain' in config file");
}

TEST(Section9Test, R9_1_MergedFilesMayNotRepeatADescriptor) {
  EXPECT_EQ(Verdict({std::string(kMergeKey1), std::string(kMergeKey1)}, true),
            "duplicate descriptor composite key 'test-domain.key1_value1'");
}

TEST(Section9Test, R9_1_DuplicateDomainIsRefused) {
  EXPECT_EQ(Verdict({std::string(kBasicConfig), "domain: test-domain\n"}),
            "duplicate domain 'test-domain' in config file");
}

TEST(Section9Test, R9_1_EmptyDomainIsRefused) {
  const std::string text = "config file cannot have empty domain";
  EXPECT_EQ(Verdict({"descriptors: [{key: a}]\n"}), text);
  EXPECT_EQ(Verdict({"domain: ''\n"}), text);
  EXPECT_EQ(Verdict({""}), text);
}

TEST(Section9Test, R9_1_EmptyKeyIsRefused) {
  EXPECT_EQ(Verdict({WithDescriptor("  - value: value1\n")}), "descriptor has empty key");
}

TEST(Section9Test, R9_1_DuplicateKeyIsRefused) {
  EXPECT_EQ(Verdict({WithDescriptor("  - {key: key1, value: value1}\n"
                                    "  - {key: key1, value: value1}\n")}),
            "duplicate descriptor composite key 'test-domain.key1_value1'");
}

TEST(Section9Test, R9_1_BadLimitUnitIsRefused) {
  EXPECT_EQ(
      Verdict({WithDescriptor("  - {key: k, rate_limit: {unit: foo, requests_per_unit: 5}}\n")}),
      "invalid rate limit unit 'foo'");
}

TEST(Section9Test, R9_1_ReplacingItselfAndReplacingNothingAreRefused) {
  EXPECT_EQ(Verdict({WithDescriptor("  - key: k\n    rate_limit: {name: a, unit: day, "
                                    "requests_per_unit: 5, replaces: [{name: a}]}\n")}),
            "replaces should not contain name of same descriptor");
  EXPECT_EQ(Verdict({WithDescriptor("  - key: k\n    rate_limit: {name: a, unit: day, "
                                    "requests_per_unit: 5, replaces: [{name: ''}]}\n")}),
            "should not have an empty replaces entry");
}

TEST(Section9Test, R9_1_BadYamlIsRefused) {
  EXPECT_EQ(Verdict({"\n'''"}),
            "error loading config file: yaml: line 2: found unexpected end of stream");
}

TEST(Section9Test, R9_1_MisspelledKeysAreRefused) {
  EXPECT_EQ(
      Verdict({WithDescriptor("  - {key: k, ratelimit: {unit: day, requests_per_unit: 5}}\n")}),
      "config error, unknown key 'ratelimit'");
  EXPECT_EQ(
      Verdict({WithDescriptor("  - {key: k, rate_limit: {unit: day, requestsperunit: 5}}\n")}),
      "config error, unknown key 'requestsperunit'");
}

TEST(Section9Test, R9_1_NonStringKeyIsRefused) {
  EXPECT_EQ(Verdict({WithDescriptor("  - {key: k, 0.25: 5}\n")}),
            "config error, key is not of type string: 0.25");
}

TEST(Section9Test, R9_1_NonMapListIsRefused) {
  EXPECT_EQ(Verdict({WithDescriptor("  - a\n  - b\n")}),
            "config error, yaml file contains list of type other than map: a");
}

TEST(Section9Test, R9_1_UnlimitedWithUnitIsRefused) {
  EXPECT_EQ(Verdict({WithDescriptor("  - {key: k, rate_limit: {unlimited: true, unit: day}}\n")}),
            "should not specify rate limit unit when unlimited");
}

}  // namespace
}  // namespace weir::reference
