#include "cli/explain_text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/descriptor_words.h"
#include "weir/config/policy_loader.h"

namespace weir::cli {
namespace {

constexpr const char* kShop = R"(domain: shop
descriptors:
  - key: tenant
    value: acme
    rate_limit: {unit: second, requests_per_unit: 50}
    descriptors:
      - key: path
        value: /v1/search
        rate_limit: {unit: minute, requests_per_unit: 5}
  - key: tenant
    value: ac*
    rate_limit: {unit: second, requests_per_unit: 20}
  - key: tenant
    value: a*
    rate_limit: {unit: second, requests_per_unit: 30}
  - key: tenant
    rate_limit: {unit: second, requests_per_unit: 10}
    weir: {burst: 40, owner: team-edge, reason: fair use, on_store_failure: local_share}
  - key: login
    descriptors:
      - key: ip
        rate_limit: {unit: minute, requests_per_unit: 5}
  - key: probe
    rate_limit: {unlimited: true}
)";

std::shared_ptr<const Policy> Shop() {
  const std::vector<SourceFile> files{{"policy.d/shop.yaml", kShop}};
  LoadedPolicy loaded = LoadPolicy(files, {});
  EXPECT_TRUE(loaded.ok());
  return Policy::Build(std::move(loaded.domains), {});
}

std::string Explained(std::vector<std::string> words, std::string_view domain = "shop") {
  const auto policy = Shop();
  DescriptorWords descriptor;
  EXPECT_EQ(descriptor.Parse(std::move(words)), "");
  const Descriptor& asked = descriptor.asked().front();
  return ExplainText(*policy, domain, asked, Explain(*policy, domain, asked));
}

TEST(ExplainTextTest, ShowsTheRuleAndWhatItWasPreferredTo) {
  EXPECT_EQ(Explained({"tenant=acorn"}),
            R"(shop
├─ tenant=acme  passed over: another value      policy.d/shop.yaml:3   50/s
├─ tenant=a*    passed over: later in the file  policy.d/shop.yaml:13  30/s
├─ tenant       passed over: less specific      policy.d/shop.yaml:16  10/s, burst 40
└─ tenant=ac*   matched by pattern              policy.d/shop.yaml:10  20/s

Answer   rule shop/tenant=ac* applies: 20/s, token_bucket
Counter  one for each value of tenant
)");
}

TEST(ExplainTextTest, AdvisesWhenTheDescriptorGoesDeeperThanTheRule) {
  EXPECT_EQ(Explained({"tenant=acme", "path=/v1/orders"}),
            R"(shop
├─ tenant=ac*          passed over: less specific  policy.d/shop.yaml:10  20/s
├─ tenant=a*           passed over: less specific  policy.d/shop.yaml:13  30/s
├─ tenant              passed over: less specific  policy.d/shop.yaml:16  10/s, burst 40
└─ tenant=acme         matched exactly             policy.d/shop.yaml:3   50/s, not used: deeper
   └─ path=/v1/orders  no rule                     known here: path=/v1/search

Answer   no rule: allowed and not counted
Why      the descriptor has two entries, and a rule applies only at its own depth;
         the limit on tenant=acme is at depth one
Either   send (tenant=acme) as a second descriptor      [Envoy: add a rate_limits entry]
or       add to the descriptors below line 3:  - key: path
                                                 rate_limit: {unit: second, requests_per_unit: 50}
)");
}

TEST(ExplainTextTest, AdvisesWhenNothingIsWrittenBelowTheRule) {
  EXPECT_EQ(Explained({"tenant=globex", "path=/v1/orders", "method=GET"}),
            R"(shop
├─ tenant=acme         passed over: another value         policy.d/shop.yaml:3   50/s
├─ tenant=ac*          passed over: pattern does not fit  policy.d/shop.yaml:10  20/s
├─ tenant=a*           passed over: pattern does not fit  policy.d/shop.yaml:13  30/s
└─ tenant              matched any value                  policy.d/shop.yaml:16  10/s, burst 40, not used: deeper
   └─ path=/v1/orders  nothing below

Answer   no rule: allowed and not counted
Why      the descriptor has three entries, and a rule applies only at its own depth;
         the limit on tenant is at depth one
Either   send (tenant=globex) as a second descriptor      [Envoy: add a rate_limits entry]
or       add under line 16:  descriptors:
                               - key: path
                                 descriptors:
                                   - key: method
                                     rate_limit: {unit: second, requests_per_unit: 10}
)");
}

TEST(ExplainTextTest, DescribesTheRuleThatApplies) {
  EXPECT_EQ(Explained({"tenant=globex"}),
            R"(shop
├─ tenant=acme  passed over: another value         policy.d/shop.yaml:3   50/s
├─ tenant=ac*   passed over: pattern does not fit  policy.d/shop.yaml:10  20/s
├─ tenant=a*    passed over: pattern does not fit  policy.d/shop.yaml:13  30/s
└─ tenant       matched any value                  policy.d/shop.yaml:16  10/s, burst 40

Answer   rule shop/tenant applies: 10/s, burst 40, token_bucket
Counter  one for each value of tenant
Outage   local_share
Owner    team-edge: fair use
)");
}

TEST(ExplainTextTest, ADescriptorMayEndBeforeTheLimit) {
  EXPECT_EQ(Explained({"login="}),
            R"(shop
└─ login  matched any value  policy.d/shop.yaml:19  no limit

Answer   no rule: allowed and not counted
Why      login has no limit of its own; limits stand below it, for descriptors that go on
Perhaps  add under line 19:  rate_limit: {unit: second, requests_per_unit: 50}
)");
}

TEST(ExplainTextTest, C63_SuggestsAKeyThatWasMisspelt) {
  EXPECT_EQ(Explained({"TENANT=acme"}),
            R"(shop
└─ TENANT=acme  no rule  known here: tenant, login, probe

Answer   no rule: allowed and not counted
Why      domain shop has no rule for the key `TENANT`
         did you mean `tenant`?
Perhaps  add to the descriptors of domain shop:  - key: TENANT
                                                   rate_limit: {unit: second, requests_per_unit: 50}
)");
}

TEST(ExplainTextTest, AnUnknownKeyBelowListsTheKnown) {
  EXPECT_EQ(Explained({"login=", "ipaddr=::1"}),
            R"(shop
└─ login          matched any value  policy.d/shop.yaml:19
   └─ ipaddr=::1  no rule            known here: ip

Answer   no rule: allowed and not counted
Why      below login nothing fits (ipaddr=::1)
Perhaps  add to the descriptors below line 19:  - key: ipaddr
                                                  rate_limit: {unit: second, requests_per_unit: 50}
)");
}

TEST(ExplainTextTest, AnUnknownDomainListsTheKnown) {
  EXPECT_EQ(Explained({"tenant=acme"}, "shopp"),
            R"(shopp

Answer   no rule: allowed and not counted
Why      the policy has no domain shopp; it has: shop
         did you mean `shop`?
)");
}

TEST(ExplainTextTest, UnlimitedIsAnAnswer) {
  EXPECT_EQ(Explained({"probe=1"}),
            R"(shop
└─ probe  matched any value  policy.d/shop.yaml:23  unlimited

Answer   rule shop/probe: unlimited, allowed and not counted
)");
}

TEST(ExplainTextTest, ColorsOnlyWhenAsked) {
  const auto policy = Shop();
  DescriptorWords words;
  ASSERT_EQ(words.Parse({"tenant=acme"}), "");
  const Descriptor& asked = words.asked().front();
  const Explanation explanation = Explain(*policy, "shop", asked);
  EXPECT_EQ(ExplainText(*policy, "shop", asked, explanation).find('\x1b'), std::string::npos);
  EXPECT_NE(ExplainText(*policy, "shop", asked, explanation, {.color = true}).find('\x1b'),
            std::string::npos);
}

TEST(ExplainJsonTest, CarriesTheWalkTheRuleAndTheAdvice) {
  const auto policy = Shop();
  DescriptorWords words;
  ASSERT_EQ(words.Parse({"tenant=acme", "path=/v1/orders", "+", "tenant=acorn"}), "");
  const Descriptor& deep = words.asked()[0];
  const auto json =
      nlohmann::json::parse(ExplainJson(*policy, "shop", deep, Explain(*policy, "shop", deep)));
  EXPECT_EQ(json["schema"], "weir.explain/1");
  EXPECT_EQ(json["end"], "no_entry");
  EXPECT_TRUE(json["rule"].is_null());
  EXPECT_EQ(json["levels"][0]["match"], "exact");
  EXPECT_EQ(json["levels"][0]["node"]["line"], 3);
  EXPECT_EQ(json["levels"][1]["passed_over"][0]["value"], "/v1/search");
  EXPECT_EQ(json["ways_out"][0]["text"], "send (tenant=acme) as a second descriptor");

  const Descriptor& found = words.asked()[1];
  const auto rule =
      nlohmann::json::parse(ExplainJson(*policy, "shop", found, Explain(*policy, "shop", found)));
  EXPECT_EQ(rule["end"], "rule");
  EXPECT_EQ(rule["rule"]["id"], "shop/tenant=ac*");
  EXPECT_EQ(rule["rule"]["limit"], 20);
  EXPECT_EQ(rule["levels"][0]["passed_over"][1]["why"], "later_pattern");
  EXPECT_TRUE(rule["ways_out"].empty());
}

TEST(ExplainJsonTest, TextThatIsNotUtf8DoesNoHarm) {
  const auto policy = Shop();
  DescriptorWords words;
  ASSERT_EQ(words.Parse({"tenant=\xff\xfe"}), "");
  const Descriptor& asked = words.asked().front();
  const std::string json = ExplainJson(*policy, "shop", asked, Explain(*policy, "shop", asked));
  EXPECT_TRUE(nlohmann::json::accept(json));
}

}  // namespace
}  // namespace weir::cli
