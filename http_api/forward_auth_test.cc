#include "http_api/forward_auth.h"

#include <gtest/gtest.h>

#include "http_api/api_rig.h"

namespace weir::http_api {
namespace {

EntrySource FromHeader(std::string key, std::string header) {
  EntrySource source;
  source.key = std::move(key);
  source.header = std::move(header);
  return source;
}
EntrySource Literal(std::string key, std::string value) {
  EntrySource source;
  source.key = std::move(key);
  source.value = std::move(value);
  return source;
}

// The second of two requests of one tenant is denied; so are those from one address.
HttpApiOptions Options() {
  HttpApiOptions options;
  options.auth.emplace();
  options.auth->domain = "edge";
  options.auth->descriptors = {{Literal("face", "web"), FromHeader("tenant", "X-Tenant")},
                               {FromHeader("ip", "X-Real-IP")}};
  return options;
}
std::vector<DomainRules> Rules() {
  RuleNode web;
  web.key = "face";
  web.value = "web";
  web.children.push_back(NodeOf("tenant", LimitOf(1, Unit::kMinute)));
  std::vector<RuleNode> nodes;
  nodes.push_back(std::move(web));
  nodes.push_back(NodeOf("ip", LimitOf(1, Unit::kHour)));
  return Domain("edge", std::move(nodes));
}

TEST(ForwardAuthTest, PassesAndThenDeniesByHeader) {
  ApiRig rig(Options(), Rules());
  const Answered first = rig.Get("/auth", "X-Tenant: acme\r\n");
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.body, "");
  EXPECT_NE(first.header("ratelimit"), "");
  const Answered second = rig.Get("/auth", "x-tenant: acme\r\n");
  EXPECT_EQ(second.status, 429);
  EXPECT_EQ(second.header("retry-after"), "60");
  EXPECT_EQ(second.header("Content-Type"), "application/problem+json");
  EXPECT_NE(second.body.find(R"("status":429)"), std::string::npos);
  EXPECT_NE(second.body.find(R"("retry_after_seconds":60)"), std::string::npos);
  EXPECT_EQ(second.header("X-Weir-Status"), "");
  EXPECT_EQ(rig.Get("/auth", "X-Tenant: globex\r\n").status, 200);
}

TEST(ForwardAuthTest, TakesAnyMethodAndIgnoresTheBody) {
  ApiRig rig(Options(), Rules());
  EXPECT_EQ(rig.Post("/auth", "anything").status, 200);
}

TEST(ForwardAuthTest, LeavesADescriptorOutWhoseHeaderIsMissing) {
  ApiRig rig(Options(), Rules());
  EXPECT_EQ(rig.Get("/auth", "X-Real-IP: 192.0.2.1\r\n").status, 200);
  EXPECT_EQ(rig.Get("/auth", "X-Real-IP: 192.0.2.1\r\nX-Tenant:\r\n").status, 429);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(rig.Get("/auth").status, 200);
}

TEST(ForwardAuthTest, UsesTheDefaultOfAMissingHeader) {
  HttpApiOptions options = Options();
  options.auth->descriptors[0][1].fallback = "anonymous";
  ApiRig rig(options, Rules());
  EXPECT_EQ(rig.Get("/auth").status, 200);
  EXPECT_EQ(rig.Get("/auth").status, 429);
}

TEST(ForwardAuthTest, TakesTheLastLineOfARepeatedHeader) {
  ApiRig rig(Options(), Rules());
  EXPECT_EQ(rig.Get("/auth", "X-Tenant: evil1\r\nX-Tenant: acme\r\n").status, 200);
  EXPECT_EQ(rig.Get("/auth", "X-Tenant: evil2\r\nX-Tenant: acme\r\n").status, 429);
}

TEST(ForwardAuthTest, DeniesInTheWordsOfNginxWhenAsked) {
  ApiRig rig(Options(), Rules());
  EXPECT_EQ(rig.Get("/auth?deny=403", "X-Tenant: acme\r\n").status, 200);
  const Answered answer = rig.Get("/auth?deny=403", "X-Tenant: acme\r\n");
  EXPECT_EQ(answer.status, 403);
  EXPECT_EQ(answer.header("X-Weir-Status"), "429");
  EXPECT_EQ(answer.header("retry-after"), "60");
  EXPECT_EQ(rig.Get("/auth?deny=401", "X-Tenant: acme\r\n").status, 401);
  EXPECT_EQ(rig.Get("/auth?deny=200", "X-Tenant: acme\r\n").status, 400);
}

TEST(ForwardAuthTest, IsNotThereWithoutAMapping) {
  ApiRig rig;
  EXPECT_EQ(rig.Get("/auth").status, 404);
}

}  // namespace
}  // namespace weir::http_api
