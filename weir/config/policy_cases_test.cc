// Failures that other limiters had in the field, as far as they are about policy files.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weir/config/policy_loader.h"
#include "weir/config/policy_rig.h"

namespace weir {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PolicyCasesTest, C49_DuplicateRulesNameFileLineAndKey) {
  const LoadedPolicy loaded = Load(
      "domain: d\ndescriptors:\n"
      "  - {key: foo, rate_limit: {unit: MINUTE, requests_per_unit: 3}}\n"
      "  - {key: foo, rate_limit: {unit: DAY, requests_per_unit: 10}}\n");
  ASSERT_THAT(Codes(loaded), ElementsAre("P007"));
  const Diagnostic& d = loaded.diagnostics[0];
  EXPECT_EQ(d.span.begin, (SourceMark{4, 11}));
  EXPECT_EQ(d.related.at(0).span.begin, (SourceMark{3, 11}));
  EXPECT_EQ(loaded.reference_refusal, "shop.yaml: duplicate descriptor composite key 'd.foo'");
}

TEST(PolicyCasesTest, C50_BurstZeroIsAnError) {
  EXPECT_THAT(Codes(Load(kHead + "    rate_limit: {unit: second, requests_per_unit: 1}\n"
                                 "    weir: {burst: 0}\n")),
              ElementsAre("P046"));
}

TEST(PolicyCasesTest, C51_ZeroRequestsLoadAndDenyInEveryAlgorithm) {
  for (const char* algorithm : {"token_bucket", "fixed_window", "sliding_window"}) {
    const LoadedPolicy loaded = Load(kHead +
                                     "    rate_limit: {unit: minute, requests_per_unit: 0}\n"
                                     "    weir: {algorithm: " +
                                     std::string(algorithm) + "}\n");
    EXPECT_THAT(Codes(loaded), ElementsAre("P015"));
    EXPECT_TRUE(loaded.ok());
    EXPECT_EQ(OnlyRule(loaded).quota.limit, 0U);
  }
}

TEST(PolicyCasesTest, C52_AWindowNeedsAUnitAndALength) {
  for (const char* window : {"0s", "-1s", "10", "367d", "10us"}) {
    EXPECT_THAT(Codes(Load(kHead + "    rate_limit: {requests_per_unit: 5}\n    weir: {window: " +
                           window + "}\n")),
                ElementsAre("P037"))
        << window;
  }
  EXPECT_THAT(Codes(Load(kHead + "    rate_limit: {requests_per_unit: 5}\n")), ElementsAre("P011"));
}

TEST(PolicyCasesTest, C53_HighRatesAreAccepted) {
  for (const char* rate : {"1500", "2000", "1000000", "4294967295"}) {
    const LoadedPolicy loaded =
        Load(kHead + "    rate_limit: {unit: second, requests_per_unit: " + rate + "}\n");
    EXPECT_THAT(Codes(loaded), IsEmpty()) << rate;
    EXPECT_GT(OnlyRule(loaded).quota.interval, 0) << rate;
  }
}

TEST(PolicyCasesTest, C55_NumbersAndUnitsAtTheEdgeOfTheType) {
  const auto with = [](const std::string& limit) {
    LoadOptions options = Quiet();
    options.profile = Profile::kReference;
    return Load(kHead + "    rate_limit: {" + limit + "}\n", options);
  };
  for (const char* good :
       {"unit: second, requests_per_unit: 4294967295", "unit: MINUTE, requests_per_unit: 1",
        "unit: Minute, requests_per_unit: 1"}) {
    EXPECT_TRUE(with(good).ok()) << good;
  }
  for (const char* bad :
       {"unit: second, requests_per_unit: -1", "unit: second, requests_per_unit: 4294967296",
        "unit: second, requests_per_unit: 1.5", "unit: second, requests_per_unit: \"10\"",
        "unit: minutes, requests_per_unit: 1", "unit: \"\", requests_per_unit: 1",
        "requests_per_unit: 1", "unit: second, unlimited: true",
        "unit: second, requests_per_units: 1"}) {
    const LoadedPolicy loaded = with(bad);
    EXPECT_FALSE(loaded.ok()) << bad;
    EXPECT_EQ(loaded.diagnostics.at(0).span.begin.line, 4U) << bad;
  }
}

TEST(PolicyCasesTest, C57_PatternsAreKeptAsWritten) {
  const LoadedPolicy loaded = Load(
      "domain: d\ndescriptors:\n"
      "  - {key: host, value: '*.example.com', rate_limit: {unit: minute, requests_per_unit: 1}}\n"
      "  - {key: path, value: /v1/*/items, rate_limit: {unit: minute, requests_per_unit: 1}}\n");
  EXPECT_THAT(Codes(loaded), IsEmpty());
  EXPECT_EQ(loaded.domains[0].children[0].value, "*.example.com");
}

TEST(PolicyCasesTest, C63_CapitalsThatCannotMatchAreSeen) {
  EXPECT_THAT(
      Codes(Load("domain: shop\ndescriptors:\n"
                 "  - {key: PATH, value: /x, rate_limit: {unit: second, requests_per_unit: 1}}\n")),
      ElementsAre("P028"));
}

TEST(PolicyCasesTest, C101_ValuesKeepTheirCharacters) {
  const LoadedPolicy loaded = Load(
      "domain: d\ndescriptors:\n"
      "  - {key: k, value: '/foo:*', rate_limit: {unlimited: true}}\n"
      "  - {key: k, value: 'a|b', rate_limit: {unlimited: true}}\n"
      "  - {key: k, value: \"say \\\"hi\\\"\\n\", rate_limit: {unlimited: true}}\n"
      "  - {key: k, value: 日本, rate_limit: {unlimited: true}}\n");
  EXPECT_THAT(Codes(loaded), IsEmpty());
  EXPECT_EQ(loaded.domains[0].children[2].value, "say \"hi\"\n");
  EXPECT_EQ(loaded.domains[0].children[3].value, "日本");
}

}  // namespace
}  // namespace weir
