#include "admin/admin_handler.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "test/rule_tree.h"
#include "weir/limiter/limiter.h"

namespace weir::admin {
namespace {

using nlohmann::json;

constexpr Now kNow{.steady = Instant(std::chrono::seconds(60)),
                   .wall = WallTime(std::chrono::seconds(1'768'399'320))};

class State final : public AdminState {
 public:
  State() : store_({.max_keys = 1000, .now = kNow}), engine_(store_, {}), limiter_(engine_, 0) {}

  void Serve(std::vector<DomainRules> domains, Profile profile = Profile::kNative) {
    engine_.SetPolicy(Policy::Build(std::move(domains), OptionsOf(profile)));
  }
  void Ask(std::string_view domain, Entry entry) {
    Descriptor descriptor;
    descriptor.entries = {&entry, 1};
    const Request request{.domain = domain, .descriptors = {&descriptor, 1}, .cost = 1};
    static_cast<void>(limiter_.Check(request, kNow));
  }

  std::vector<const Engine*> engines() const override { return {&engine_}; }
  const MemoryStore* store() const override { return &store_; }
  observe::ServiceCounts counts() const override { return {}; }
  PolicyReport policy() const override { return report; }
  Health health() const override { return condition; }
  ServerFacts server() const override { return facts; }

  PolicyReport report;
  Health condition;
  ServerFacts facts;

 private:
  MemoryStore store_;
  Engine engine_;
  Limiter limiter_;
};

struct Answer {
  int status = 0;
  std::string type;
  std::map<std::string, std::string> headers;
  std::string body;
};

class FakeExchange final : public net::HttpExchange {
 public:
  void Reply(const net::HttpResponse& response) override {
    ++replies;
    answer.status = response.status;
    answer.type = response.content_type;
    for (const net::HttpHeader& h : response.headers) {
      answer.headers[std::string(h.name)] = h.value;
    }
    answer.body = response.body;
  }

  Answer answer;
  int replies = 0;
};

RuleNode At(RuleNode node, std::uint32_t line) {
  node.rule->where = {.file = "shop.yaml", .line = line, .column = 3};
  return node;
}

class AdminHandlerTest : public testing::Test {
 protected:
  AdminHandlerTest() {
    state_.Serve({DomainOf("shop", {At(NodeOf("tenant", "", 5), 4), At(NodeOf("a", "b", 7), 9)})});
  }

  Answer Ask(std::string_view method, std::string_view target,
             std::vector<net::HttpHeader> headers = {}) {
    AdminHandler handler(state_, {.token = token_});
    net::HttpRequest request;
    request.method = method;
    request.target = target;
    const std::size_t mark = target.find('?');
    request.path = target.substr(0, mark);
    if (mark != std::string_view::npos) request.query = target.substr(mark + 1);
    request.headers = headers;
    request.now = kNow;
    FakeExchange exchange;
    handler.OnRequest(request, exchange);
    EXPECT_EQ(exchange.replies, 1);
    return exchange.answer;
  }
  Answer Get(std::string_view target) { return Ask("GET", target); }

  State state_;
  std::string token_;
};

TEST_F(AdminHandlerTest, ListsItsPagesSorted) {
  const Answer answer = Get("/");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.type, "text/plain; charset=utf-8");
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < answer.body.size();) {
    const std::size_t end = answer.body.find('\n', begin);
    lines.push_back(answer.body.substr(begin, end - begin));
    begin = end + 1;
  }
  EXPECT_EQ(lines.size(), 9U);
  EXPECT_TRUE(std::is_sorted(lines.begin(), lines.end()));
  for (const std::string& line : lines) EXPECT_NE(line.find(": "), std::string::npos);
}

TEST_F(AdminHandlerTest, AnswersUnknownPathsWithTheList) {
  const Answer answer = Get("/nothing");
  EXPECT_EQ(answer.status, 404);
  EXPECT_NE(answer.body.find("/metrics: "), std::string::npos);
  EXPECT_EQ(Get("/metrics/").status, 404);
  EXPECT_EQ(Get(std::string(100'000, '/')).status, 404);
}

TEST_F(AdminHandlerTest, RefusesOtherMethodsThanGetAndHead) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "FOO"}) {
    const Answer answer = Ask(method, "/metrics");
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(answer.headers.at("Allow"), "GET, HEAD");
  }
  EXPECT_EQ(Ask("HEAD", "/metrics").status, 200);
}

TEST_F(AdminHandlerTest, WantsTheTokenIfThereIsOne) {
  token_ = "s3cret";
  for (const char* path : {"/", "/metrics", "/livez", "/nothing"}) {
    const Answer answer = Get(path);
    EXPECT_EQ(answer.status, 401);
    EXPECT_TRUE(answer.headers.contains("WWW-Authenticate"));
    EXPECT_EQ(answer.body.find("/metrics"), std::string::npos);
  }
  EXPECT_EQ(Ask("GET", "/", {{"authorization", "Bearer s3cret"}}).status, 200);
  EXPECT_EQ(Ask("GET", "/", {{"Authorization", "bearer s3cret"}}).status, 200);
  for (const char* wrong : {"", "Bearer", "Bearer ", "Bearer s3cre", "Bearer s3crets",
                            "Bearer s3creT", "Basic s3cret", "s3cret"}) {
    EXPECT_EQ(Ask("GET", "/", {{"authorization", wrong}}).status, 401) << wrong;
  }
}

TEST_F(AdminHandlerTest, RefusesStateChangesFromPagesOfOtherSites) {
  EXPECT_EQ(Ask("POST", "/", {{"host", "weir:6070"}, {"origin", "http://evil"}}).status, 403);
  EXPECT_EQ(Ask("POST", "/", {{"host", "weir:6070"}, {"origin", "null"}}).status, 403);
  EXPECT_EQ(Ask("POST", "/", {{"sec-fetch-site", "cross-site"}}).status, 403);
  EXPECT_EQ(Ask("POST", "/", {{"host", "weir:6070"}, {"origin", "http://weir:6070"}}).status, 405);
  EXPECT_EQ(Ask("GET", "/", {{"host", "weir:6070"}, {"origin", "http://evil"}}).status, 200);
}

TEST_F(AdminHandlerTest, KeepsAnswersOutOfCaches) {
  EXPECT_EQ(Get("/stats").headers.at("Cache-Control"), "no-store");
  EXPECT_EQ(Get("/stats").headers.at("X-Content-Type-Options"), "nosniff");
}

TEST_F(AdminHandlerTest, ServesMetrics) {
  const Answer answer = Get("/metrics");
  EXPECT_EQ(answer.type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_NE(answer.body.find("\nweir_config_last_reload_successful 1\n"), std::string::npos);
  EXPECT_EQ(answer.body.find("ratelimit_service"), std::string::npos);
}

TEST_F(AdminHandlerTest, ServesTheReferenceServicesMetricsUnderItsProfile) {
  state_.Serve({DomainOf("shop", {NodeOf("tenant", "", 5)})}, Profile::kReference);
  state_.Ask("shop", {"tenant", "acme"});
  const Answer answer = Get("/metrics");
  EXPECT_NE(answer.body.find(
                "\nratelimit_service_rate_limit_total_hits{domain=\"shop\",key1=\"tenant\"} 1\n"),
            std::string::npos);
  EXPECT_NE(answer.body.find("\nweir_checks_total 1\n"), std::string::npos);
}

TEST_F(AdminHandlerTest, ServesStatsAsTextJsonAndPrometheus) {
  state_.Ask("shop", {"tenant", "acme"});
  EXPECT_NE(Get("/stats").body.find("ratelimit.service.rate_limit.shop.tenant.total_hits: 1\n"),
            std::string::npos);
  const json parsed = json::parse(Get("/stats?format=json&filter=tenant.total_hits$").body);
  ASSERT_EQ(parsed["stats"].size(), 1U);
  EXPECT_EQ(parsed["stats"][0]["value"], 1);
  EXPECT_EQ(Get("/stats?format=prometheus").type, Get("/metrics").type);
  EXPECT_EQ(Get("/stats?format=xml").status, 400);
}

TEST_F(AdminHandlerTest, FiltersStatsByARegularExpression) {
  EXPECT_EQ(Get("/stats?filter=%5Eweir%5C.checks%24").body, "weir.checks: 0\n");
  EXPECT_EQ(Get("/stats?filter=no-such-stat").body, "");
  EXPECT_EQ(Get("/stats?filter=checks&usedonly").body, "");
}

TEST_F(AdminHandlerTest, RefusesFiltersThatAreNoneOrTooLarge) {
  for (const std::string& filter :
       {std::string("("), std::string("%"), std::string("%zz"), std::string(100'000, 'a'),
        std::string("((a{1000}){1000}){1000}"), std::string("%ff")}) {
    EXPECT_EQ(Get("/stats?filter=" + filter).status, 400) << filter.substr(0, 40);
  }
}

TEST_F(AdminHandlerTest, ListsTheLimitsInForceSorted) {
  state_.report.generation = 12;
  state_.report.fingerprint = "41d0";
  const std::string body = Get("/rlconfig").body;
  EXPECT_EQ(body,
            "# generation 12, hash 41d0, loaded 1970-01-01T00:00:00.000Z\n"
            "# last load: ok\n"
            "shop.a_b: unit=MINUTE requests_per_unit=7, shadow_mode: false, quota_mode: false, "
            "limit: 7/min, algorithm: token_bucket, burst: 7  # shop.yaml:9\n"
            "shop.tenant: unit=MINUTE requests_per_unit=5, shadow_mode: false, quota_mode: false, "
            "limit: 5/min, algorithm: token_bucket, burst: 5  # shop.yaml:4\n");
}

TEST_F(AdminHandlerTest, ListsLimitsExactlyAsTheReferenceServiceUnderItsProfile) {
  RuleNode free = NodeOf("free", "", 1);
  free.rule->unlimited = true;
  state_.Serve({DomainOf("shop", {std::move(free), NodeOf("k", "v", 5)})}, Profile::kReference);
  const std::string body = Get("/rlconfig").body;
  EXPECT_NE(body.find("\nshop.free: unit=UNKNOWN requests_per_unit=0, shadow_mode: false, "
                      "quota_mode: false\n"
                      "shop.k_v: unit=MINUTE requests_per_unit=5, shadow_mode: false, "
                      "quota_mode: false\n"),
            std::string::npos);
}

TEST_F(AdminHandlerTest, C105_SaysWhyTheLastLoadWasRefusedAndThatTheOldRulesStay) {
  state_.report.last_load_ok = false;
  state_.report.error = "error[WEIR-P003]: unknown key `ratelimit`\n  --> shop.yaml:5:5\n";
  const std::string body = Get("/rlconfig").body;
  EXPECT_NE(body.find("# last load: refused at "), std::string::npos);
  EXPECT_NE(body.find("\n# error[WEIR-P003]: unknown key `ratelimit`\n#   --> shop.yaml:5:5\n"),
            std::string::npos);
  EXPECT_NE(body.find("\nshop.tenant: "), std::string::npos);
  const json dump = json::parse(Get("/config_dump").body);
  EXPECT_EQ(dump["last_load"]["ok"], false);
  EXPECT_NE(dump["last_load"]["error"].get<std::string>().find("shop.yaml:5:5"), std::string::npos);
}

TEST_F(AdminHandlerTest, DumpsThePolicyWithFilesAndLines) {
  const json dump = json::parse(Get("/config_dump").body);
  EXPECT_EQ(dump["profile"], "native");
  ASSERT_EQ(dump["domains"].size(), 1U);
  EXPECT_EQ(dump["domains"][0]["domain"], "shop");
  const json& rules = dump["domains"][0]["rules"];
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_EQ(rules[0]["id"], "shop/tenant");
  EXPECT_EQ(rules[0]["source"]["file"], "shop.yaml");
  EXPECT_EQ(rules[0]["source"]["line"], 4);
  EXPECT_EQ(rules[0]["limit"]["requests_per_unit"], 5);
}

TEST_F(AdminHandlerTest, DumpsTextsThatAreNotUtf8) {
  state_.Serve({DomainOf("shop", {NodeOf("k", "\xff\n", 1)})});
  EXPECT_EQ(Get("/config_dump").status, 200);
  EXPECT_TRUE(json::accept(Get("/config_dump").body));
  EXPECT_TRUE(json::accept(Get("/stats?format=json").body));
}

TEST_F(AdminHandlerTest, ToldNotReadyAnswersTheReason) {
  EXPECT_EQ(Get("/healthcheck").body, "OK\n");
  EXPECT_EQ(Get("/readyz").status, 200);
  state_.condition = {.live = true, .ready = false, .reason = "draining"};
  EXPECT_EQ(Get("/healthcheck").status, 500);
  EXPECT_EQ(Get("/readyz").status, 503);
  EXPECT_EQ(Get("/readyz").body, "draining\n");
  EXPECT_EQ(Get("/livez").status, 200);
}

TEST_F(AdminHandlerTest, TellsAboutTheServer) {
  state_.facts.version = "0.1.0";
  state_.facts.workers = 2;
  state_.facts.profile = "reference";
  state_.facts.started = kNow.wall - std::chrono::seconds(90);
  state_.facts.options = {{"policy", "policy.d"}};
  const json info = json::parse(Get("/server_info").body);
  EXPECT_EQ(info["version"], "0.1.0");
  EXPECT_EQ(info["uptime_seconds"], 90);
  EXPECT_EQ(info["workers"], 2);
  EXPECT_EQ(info["options"]["policy"], "policy.d");
}

TEST_F(AdminHandlerTest, ServesAnEmptyPolicy) {
  state_.Serve({});
  for (const char* path : {"/metrics", "/stats", "/rlconfig", "/config_dump", "/server_info"}) {
    EXPECT_EQ(Get(path).status, 200) << path;
  }
}

}  // namespace
}  // namespace weir::admin
