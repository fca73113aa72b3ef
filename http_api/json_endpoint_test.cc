#include "http_api/json_endpoint.h"

#include <gtest/gtest.h>

#include "http_api/api_rig.h"

namespace weir::http_api {
namespace {

ResponseOptions ReferenceOptions() {
  ResponseOptions options;
  options.reference_headers = true;
  return options;
}

// The rig's clock stands at second 37 of its minute.
class JsonEndpointTest : public testing::Test {
 protected:
  ApiRig rig_{{}, ReferenceRules(), Profile::kReference, ReferenceOptions()};
};

TEST_F(JsonEndpointTest, AnswersAsTheReferenceService) {
  const Answered answer = rig_.Post("/json", kAcme);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("Content-Type"), "application/json");
  EXPECT_EQ(
      answer.body,
      R"({"overallCode":"OK","statuses":[{"code":"OK","currentLimit":{"requestsPerUnit":2,)"
      R"("unit":"MINUTE"},"limitRemaining":1,"durationUntilReset":"23s"}],)"
      R"("responseHeadersToAdd":[{"key":"RateLimit-Limit","value":"2"},)"
      R"({"key":"RateLimit-Remaining","value":"1"},{"key":"RateLimit-Reset","value":"23"}]})");
}

TEST_F(JsonEndpointTest, Says429WhenOverLimit) {
  rig_.Post("/json", kAcme);
  rig_.Post("/json", kAcme);
  const Answered answer = rig_.Post("/json", kAcme);
  EXPECT_EQ(answer.status, 429);
  EXPECT_TRUE(answer.body.starts_with(
      R"({"overallCode":"OVER_LIMIT","statuses":[{"code":"OVER_LIMIT","currentLimit":)"))
      << answer.body;
  EXPECT_EQ(answer.body.find("limitRemaining"), std::string::npos);
}

TEST_F(JsonEndpointTest, GivesOneStatusForEachDescriptorInOrder) {
  const Answered answer = rig_.Post("/json", R"({"domain":"shop","descriptors":[
      {"entries":[{"key":"free"}]},{"entries":[{"key":"unknown"}]},
      {"entries":[{"key":"named"}],"hitsAddend":"3"},
      {"entries":[{"key":"x"}],"limit":{"requestsPerUnit":9,"unit":"HOUR"}}]})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_NE(
      answer.body.find(R"("statuses":[{"code":"OK","limitRemaining":4294967295},{"code":"OK"},)"
                       R"({"code":"OK","currentLimit":{"name":"daily",)"
                       R"("requestsPerUnit":5,"unit":"DAY"},"limitRemaining":2,)"),
      std::string::npos)
      << answer.body;
  EXPECT_NE(answer.body.find(R"({"requestsPerUnit":9,"unit":"HOUR"},"limitRemaining":8)"),
            std::string::npos)
      << answer.body;
}

TEST_F(JsonEndpointTest, TakesAnyMethod) {
  const std::string get =
      "GET /json HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(kAcme.size()) +
      "\r\n\r\n" + std::string(kAcme);
  EXPECT_EQ(Split(rig_.Raw(get)).status, 200);
}

TEST_F(JsonEndpointTest, SaysBadRequestToEverythingThatIsWrong) {
  for (const char* body :
       {"", "}", "{}", R"({"domain":"","descriptors":[{}]})", R"({"domain":"shop"})",
        R"({"domain":"shop","descriptors":[{}],"unknown":1})"}) {
    const Answered answer = rig_.Post("/json", body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_EQ(answer.body, "Bad Request\n");
    EXPECT_EQ(answer.header("Content-Type"), "text/plain; charset=utf-8");
    EXPECT_EQ(answer.header("X-Content-Type-Options"), "nosniff");
  }
}

TEST_F(JsonEndpointTest, TreatsAnOverrideWithoutAUnitAsVoidInsteadOfCrashing) {
  const Answered answer = rig_.Post("/json", R"({"domain":"shop","descriptors":[
      {"entries":[{"key":"tenant","value":"a"}],"limit":{"requestsPerUnit":9}}]})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_NE(answer.body.find(R"("requestsPerUnit":2)"), std::string::npos) << answer.body;
}

TEST(JsonEndpointShadowTest, PassesEverythingUnderGlobalShadowButTellsTheTruth) {
  ResponseOptions options = ReferenceOptions();
  options.global_shadow = true;
  ApiRig rig({}, ReferenceRules(), Profile::kReference, options);
  for (int i = 0; i < 2; ++i) rig.Post("/json", kAcme);
  const Answered answer = rig.Post("/json", kAcme);
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.body.starts_with(R"({"overallCode":"OK","statuses":[{"code":"OVER_LIMIT")"));
}

TEST(JsonEndpointMetadataTest, SendsTheMetadataOfTheRulesThatPassed) {
  ResponseOptions options;
  options.dynamic_metadata = true;
  Rule rule = LimitOf(5, Unit::kMinute, Algorithm::kFixedWindow);
  rule.metadata.held = Value::Struct{{"tier", Value{std::string("gold")}}, {"n", Value{1.5}}};
  std::vector<RuleNode> nodes;
  nodes.push_back(NodeOf("tenant", rule));
  ApiRig rig({}, Domain("shop", std::move(nodes)), Profile::kReference, options);
  const Answered answer = rig.Post("/json", kAcme);
  EXPECT_TRUE(answer.body.ends_with(
      R"("dynamicMetadata":{"domain":"shop","descriptors":[{"entries":["tenant=acme"]}],)"
      R"("metadata":{"tier":"gold","n":1.5}}})"))
      << answer.body;
}

TEST(JsonEndpointMetadataTest, RepeatsHitsAddendWhereTheClientWroteIt) {
  ResponseOptions options;
  options.dynamic_metadata = true;
  ApiRig rig({}, ReferenceRules(), Profile::kReference, options);
  const auto metadata = [&](const std::string& more) {
    const std::string body = rig.Post("/json", R"({"domain":"shop","descriptors":[)"
                                               R"({"entries":[{"key":"named"}]}])" +
                                                   more + "}")
                                 .body;
    return body.substr(body.find("\"dynamicMetadata\""));
  };
  const std::string head =
      R"("dynamicMetadata":{"domain":"shop","descriptors":[{"entries":["named="]}])";
  EXPECT_EQ(metadata(""), head + "}}");
  EXPECT_EQ(metadata(R"(,"hitsAddend":0)"), head + "}}");
  EXPECT_EQ(metadata(R"(,"hitsAddend":1)"), head + R"(,"hitsAddend":1}})");
  EXPECT_EQ(metadata(R"(,"hitsAddend":2)"), head + R"(,"hitsAddend":2}})");
}

TEST(JsonEndpointMetadataTest, RepeatsALimitAsProtobufPrintsIt) {
  ResponseOptions options;
  options.dynamic_metadata = true;
  ApiRig rig({}, ReferenceRules(), Profile::kReference, options);
  const auto has = [&](const std::string& limit, const std::string& text) {
    const Answered answer =
        rig.Post("/json", R"({"domain":"shop","descriptors":[{"entries":[{"key":"x"}],"limit":)" +
                              limit + "}]}");
    EXPECT_NE(answer.body.find(R"("limit":")" + text + '"'), std::string::npos) << answer.body;
  };
  has(R"({"requestsPerUnit":9,"unit":"HOUR"})", "requests_per_unit:9 unit:HOUR");
  has(R"({"requestsPerUnit":9,"unit":7})", "requests_per_unit:9 unit:7");
  has(R"({"unit":"DAY"})", "unit:DAY");
}

TEST(JsonEndpointOverrideTest, CountsALimitOfAWeekByItsNumber) {
  ApiRig rig({}, ReferenceRules(), Profile::kReference);
  const Answered answer = rig.Post("/json", R"({"domain":"shop","descriptors":[
      {"entries":[{"key":"x"}],"limit":{"requestsPerUnit":9,"unit":7}}]})");
  EXPECT_NE(answer.body.find(R"({"requestsPerUnit":9,"unit":"WEEK"},"limitRemaining":8)"),
            std::string::npos)
      << answer.body;
}

TEST(JsonEndpointNativeTest, TellsDraftHeadersUnderTheNativeProfile) {
  ApiRig rig;
  const Answered answer = rig.Post("/json", kAcme);
  EXPECT_NE(answer.body.find(R"({"key":"ratelimit","value":"\"shop/tenant\";r=49;t=1"})"),
            std::string::npos)
      << answer.body;
  EXPECT_NE(answer.body.find(R"("durationUntilReset":"1s")"), std::string::npos);
}

}  // namespace
}  // namespace weir::http_api
