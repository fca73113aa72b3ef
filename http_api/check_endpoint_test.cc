#include "http_api/check_endpoint.h"

#include <gtest/gtest.h>

#include "http_api/api_rig.h"

namespace weir::http_api {
namespace {

TEST(CheckEndpointTest, AnswersTheDocumentedExample) {
  ApiRig rig;
  const Answered answer = rig.Post("/v1/check", kAcme);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("Content-Type"), "application/json");
  EXPECT_EQ(answer.body,
            R"({"allowed":true,"basis":"store","rule":"shop/tenant","limit":50,"remaining":49,)"
            R"("retry_after_ms":0,"reset_after_ms":20})");
  EXPECT_EQ(answer.header("ratelimit-policy"), R"("shop/tenant";q=50;w=1)");
  EXPECT_EQ(answer.header("ratelimit"), R"("shop/tenant";r=49;t=1)");
}

TEST(CheckEndpointTest, DeniesWith429AndSaysWhen) {
  ApiRig rig;
  const char* body =
      R"({"domain":"shop","descriptors":[{"entries":[{"key":"ip","value":"192.0.2.7"}]}]})";
  EXPECT_EQ(rig.Post("/v1/check", body).status, 200);
  const Answered answer = rig.Post("/v1/check", body);
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.header("retry-after"), "60");
  EXPECT_EQ(answer.body,
            R"({"allowed":false,"basis":"store","rule":"shop/ip","limit":1,"remaining":0,)"
            R"("retry_after_ms":60000,"reset_after_ms":60000})");
}

TEST(CheckEndpointTest, SaysNullForAWaitThatNeverEnds) {
  ApiRig rig;
  const Answered answer = rig.Post(
      "/v1/check",
      R"({"domain":"shop","cost":51,"descriptors":[{"entries":[{"key":"tenant","value":"a"}]}]})");
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.header("retry-after"), "");
  EXPECT_NE(answer.body.find(R"("retry_after_ms":null)"), std::string::npos) << answer.body;
}

TEST(CheckEndpointTest, LooksWithoutSpendingAtCostZero) {
  ApiRig rig;
  const char* peek =
      R"({"domain":"shop","cost":0,"descriptors":[{"entries":[{"key":"tenant","value":"a"}]}]})";
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(rig.Post("/v1/check", peek).body.find(R"("remaining":50)"), std::string::npos);
  }
}

TEST(CheckEndpointTest, PassesWhatNoRuleKnows) {
  ApiRig rig;
  const Answered answer =
      rig.Post("/v1/check", R"({"domain":"other","descriptors":[{"entries":[{"key":"k"}]}]})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body,
            R"({"allowed":true,"basis":"no_rule","rule":null,"limit":null,"remaining":null,)"
            R"("retry_after_ms":0,"reset_after_ms":0})");
  EXPECT_EQ(answer.header("ratelimit"), "");
}

TEST(CheckEndpointTest, TellsOfShadowRulesThatWouldDeny) {
  Rule rule = LimitOf(1, Unit::kMinute);
  rule.shadow_mode = true;
  std::vector<RuleNode> nodes;
  nodes.push_back(NodeOf("tenant", rule));
  ApiRig rig({}, Domain("shop", std::move(nodes)));
  rig.Post("/v1/check", kAcme);
  const Answered answer = rig.Post("/v1/check", kAcme);
  EXPECT_EQ(answer.status, 200);
  EXPECT_NE(answer.body.find(R"("would_deny":true)"), std::string::npos) << answer.body;
  EXPECT_EQ(answer.header("ratelimit"), "");
}

TEST(CheckEndpointTest, PointsAtTheFaultOfABadBody) {
  ApiRig rig;
  const Answered answer =
      rig.Post("/v1/check", R"({"domain":"shop","descriptors":[{"entries":[{"key":""}]}]})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.header("Content-Type"), "application/problem+json");
  EXPECT_EQ(answer.body,
            R"({"type":"about:blank","title":"Bad Request","status":400,)"
            R"("detail":"must not be empty","pointer":"/descriptors/0/entries/0/key"})");
}

TEST(CheckEndpointTest, CommitsAllRequestsOfAReadAndAnswersInOrder) {
  ApiRig rig;
  const char* ip = R"({"domain":"shop","descriptors":[{"entries":[{"key":"ip","value":"::1"}]}]})";
  const std::string text = rig.Raw(net::Post("/v1/check", ip) + net::Post("/v1/check", "bad") +
                                   net::Post("/v1/check", ip) + net::Get("/healthcheck"));
  std::vector<std::string> statuses;
  for (std::size_t at = text.find("HTTP/1.1 "); at != text.npos;
       at = text.find("HTTP/1.1 ", at + 1)) {
    statuses.push_back(text.substr(at + 9, 3));
  }
  EXPECT_EQ(statuses, (std::vector<std::string>{"200", "400", "429", "200"}));
  EXPECT_EQ(rig.transport.writes, 1);
}

TEST(CheckEndpointTest, AdoptsANewPolicyBetweenReads) {
  ApiRig rig;
  rig.Post("/v1/check", kAcme);
  rig.SetRules(Domain("elsewhere", {}));
  EXPECT_NE(rig.Post("/v1/check", kAcme).body.find("no_rule"), std::string::npos);
}

TEST(CheckEndpointTest, C79_HugeAddendsSaturate) {
  ApiRig rig;
  const char* huge =
      R"({"domain":"shop","cost":18446744073709551615,"descriptors":[
          {"entries":[{"key":"tenant","value":"acme"}]}]})";
  EXPECT_EQ(rig.Post("/v1/check", huge).status, 429);
  EXPECT_EQ(rig.Post("/v1/check", kAcme).status, 200);
}

TEST(CheckEndpointTest, KnowsTheStatusOfEveryVerdict) {
  EXPECT_EQ(HttpStatusOf(Verdict::kAllow), 200);
  EXPECT_EQ(HttpStatusOf(Verdict::kDeny), 429);
  EXPECT_EQ(HttpStatusOf(Verdict::kUnavailable), 503);
}

}  // namespace
}  // namespace weir::http_api
