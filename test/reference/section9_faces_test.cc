// The faces: gRPC errors, /json, health, reloads from files, settings (parts of 9.3, 9.5 and 9.6).

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/from_env_table.h"
#include "cli/policy_keeper.h"
#include "http_api/api_rig.h"
#include "net/loop.h"
#include "rls/client_codec.h"
#include "rls/service.h"
#include "test/reference/section9_world.h"

namespace weir::reference {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPolicy = R"(domain: d
descriptors:
  - {key: k, rate_limit: {unit: minute, requests_per_unit: 1}}
)";

// -- gRPC ---

// A call that keeps what it is answered.
class KeptCall final : public net::GrpcCall {
 public:
  std::string_view path() const override { return "/envoy.service.ratelimit.v3/ShouldRateLimit"; }
  Instant deadline() const override { return kNever; }
  const net::PeerInfo& peer() const override { return peer_; }
  std::optional<std::string_view> header(std::string_view) const override { return std::nullopt; }
  void Reply(std::span<const std::uint8_t> message) override {
    reply.emplace(message.begin(), message.end());
  }
  void Fail(net::GrpcStatus why, std::string_view said) override {
    status = why;
    text = said;
  }

  std::optional<std::vector<std::uint8_t>> reply;
  net::GrpcStatus status = net::GrpcStatus::kOk;
  std::string text;

 private:
  net::PeerInfo peer_;
};

class GrpcFace {
 public:
  explicit GrpcFace(ResponseOptions options = {})
      : world_(kPolicy), service_(loop_, limiter_, options) {}

  void Ask(const Request& request, KeptCall& call) {
    std::string message;
    rls::EncodeRequest(request, message);
    limiter_.BeginTurn();
    service_.OnCall(call, {reinterpret_cast<const std::uint8_t*>(message.data()), message.size()});
    service_.OnBatchEnd();
  }
  const rls::ServiceCounters& counters() const { return service_.counters(); }

 private:
  ManualClock clock_{Section9World::At(1'000'000'020)};
  net::Loop loop_{clock_};
  Section9World world_;
  Limiter limiter_{world_.engine(), 0};
  rls::RateLimitService service_;
};

TEST(Section9Test, R9_3_4_GlobalShadowIsCounted) {
  ResponseOptions options;
  options.global_shadow = true;
  GrpcFace face(options);
  const TestRequest request("d", {{{"k", "1"}}});
  for (int i = 0; i < 3; ++i) {
    KeptCall call;
    face.Ask(request.request(), call);
    ASSERT_TRUE(call.reply);
    rls::ReceivedResponse said;
    ASSERT_EQ(rls::DecodeResponse(*call.reply, said), rls::Decoding::kOk);
    EXPECT_EQ(said.code, rls::Code::kOk);
    EXPECT_EQ(said.statuses[0].code, i == 0 ? rls::Code::kOk : rls::Code::kOverLimit);
  }
  EXPECT_EQ(face.counters().global_shadow.Read(), 2U);
}

TEST(Section9Test, R9_3_7_AnEmptyDomainIsAnErrorOfUnknownCode) {
  GrpcFace face;
  const TestRequest request("", {{{"k", "1"}}});
  KeptCall call;
  face.Ask(request.request(), call);
  EXPECT_FALSE(call.reply);
  EXPECT_EQ(call.status, net::GrpcStatus::kUnknown);
  EXPECT_EQ(call.text, "rate limit domain must not be empty");
  EXPECT_EQ(face.counters().refused.Read(), 1U);
}

TEST(Section9Test, R9_3_7_NoDescriptorsAreAnErrorOfUnknownCode) {
  GrpcFace face;
  KeptCall call;
  face.Ask({.domain = "d", .descriptors = {}}, call);
  EXPECT_EQ(call.status, net::GrpcStatus::kUnknown);
  EXPECT_EQ(call.text, "rate limit descriptor list must not be empty");
  EXPECT_EQ(face.counters().refused.Read(), 1U);
}

// -- /json, /healthcheck ---

http_api::ApiRig JsonFace(ResponseOptions options = {}) {
  const std::vector<SourceFile> files = {{"policy.yaml", std::string(kPolicy)}};
  LoadOptions load;
  load.profile = Profile::kReference;
  return http_api::ApiRig({}, LoadPolicy(files, load).domains, Profile::kReference,
                          std::move(options));
}

TEST(Section9Test, R9_3_12_TheHitsAddendIsInTheMetadataOnlyIfItWasSet) {
  ResponseOptions options;
  options.dynamic_metadata = true;
  auto face = JsonFace(options);
  const auto ask = [&](const std::string& more) {
    return face
        .Post("/json", R"({"domain":"d","descriptors":[{"entries":[{"key":"x"}]}])" + more + "}")
        .body;
  };
  const std::string with_one = R"("descriptors":[{"entries":["x="]}],"hitsAddend":1})";
  EXPECT_NE(ask(R"(,"hitsAddend":1)").find(with_one), std::string::npos);
  EXPECT_EQ(ask("").find("hitsAddend"), std::string::npos);
  EXPECT_EQ(ask(R"(,"hitsAddend":0)").find("hitsAddend"), std::string::npos);
}

TEST(Section9Test, R9_5_1_JsonThatIsNoneIsABadRequest) {
  auto face = JsonFace();
  for (const std::string_view body : {"", "}"}) {
    const http_api::Answered answer = face.Post("/json", body);
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(answer.body, "Bad Request\n");
  }
}

TEST(Section9Test, R9_5_1_AServiceErrorIsABadRequest) {
  const http_api::Answered answer = JsonFace().Post("/json", R"({"domain":"","descriptors":[{}]})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body, "Bad Request\n");
}

TEST(Section9Test, R9_5_1_OkIs200AndOverLimitIs429) {
  auto face = JsonFace();
  constexpr std::string_view kBody =
      R"({"domain":"d","descriptors":[{"entries":[{"key":"k","value":"1"}]}]})";
  const http_api::Answered ok = face.Post("/json", kBody);
  EXPECT_EQ(ok.status, 200);
  EXPECT_TRUE(ok.body.starts_with(R"({"overallCode":"OK",)")) << ok.body;
  EXPECT_EQ(ok.header("Content-Type"), "application/json");
  const http_api::Answered over = face.Post("/json", kBody);
  EXPECT_EQ(over.status, 429);
  EXPECT_TRUE(over.body.starts_with(R"({"overallCode":"OVER_LIMIT",)")) << over.body;
}

// -- reloads ---

class PolicyFolder {
 public:
  PolicyFolder() {
    std::string name = (fs::temp_directory_path() / "section9.XXXXXX").string();
    path_ = mkdtemp(name.data());
    location_ = {.path = path_.string()};
    LoadOptions load;
    load.profile = Profile::kReference;
    keeper_.emplace(location_, load, 9);
    keeper_->Serve(engine_);
  }
  ~PolicyFolder() { fs::remove_all(path_); }
  PolicyFolder(const PolicyFolder&) = delete;
  PolicyFolder& operator=(const PolicyFolder&) = delete;

  void Write(const std::string& name, std::string_view text) {
    std::ofstream(path_ / name) << text;
  }
  void Remove(const std::string& name) { fs::remove(path_ / name); }
  cli::PolicyKeeper::Result Load() { return keeper_->Load(Section9World::At(1'000'000'020), true); }
  cli::LoadReport report() const { return keeper_->report(); }

  bool Limited(std::string_view domain, std::string_view key) {
    Check check;
    limiter_.BeginTurn();
    limiter_.Match(TestRequest(domain, {{{key, "1"}}}).request(), Section9World::At(1'000'000'020),
                   check);
    return !check.hits.empty();
  }

 private:
  fs::path path_;
  cli::PolicyLocation location_;
  MemoryStore store_{{.max_keys = 1000, .now = Section9World::At(1'000'000'020)}};
  Engine engine_{store_, {}};
  Limiter limiter_{engine_, 0};
  std::optional<cli::PolicyKeeper> keeper_;
};

using Result = cli::PolicyKeeper::Result;

TEST(Section9Test, R9_3_3_TwoGoodLoadsAndABadOneAreCountedAndTheRulesStay) {
  PolicyFolder folder;
  folder.Write("a.yaml", kPolicy);
  EXPECT_EQ(folder.Load(), Result::kLoaded);
  folder.Write(
      "a.yaml",
      "domain: d\ndescriptors: [{key: k2, rate_limit: {unit: day, requests_per_unit: 1}}]\n");
  EXPECT_EQ(folder.Load(), Result::kLoaded);
  folder.Write("a.yaml", "domain: d\ndescriptors: [{value: none}]\n");
  EXPECT_EQ(folder.Load(), Result::kRefused);
  EXPECT_EQ(folder.report().loads, 2U);
  EXPECT_EQ(folder.report().refusals, 1U);
  EXPECT_TRUE(folder.Limited("d", "k2"));
}

TEST(Section9Test, R9_3_10_AFolderWithoutRulesIsRefusedSoThatNoLoadEverLeavesNone) {
  PolicyFolder folder;
  EXPECT_EQ(folder.Load(), Result::kRefused);
  folder.Write("a.yaml", kPolicy);
  EXPECT_EQ(folder.Load(), Result::kLoaded);
  folder.Remove("a.yaml");
  EXPECT_EQ(folder.Load(), Result::kRefused);
  EXPECT_TRUE(folder.Limited("d", "k"));
}

TEST(Section9Test, R9_6_AddingAndRemovingAFileChangesTheRules) {
  PolicyFolder folder;
  folder.Write("a.yaml", kPolicy);
  EXPECT_EQ(folder.Load(), Result::kLoaded);
  EXPECT_FALSE(folder.Limited("new", "k"));
  folder.Write(
      "b.yaml",
      "domain: new\ndescriptors: [{key: k, rate_limit: {unit: day, requests_per_unit: 1}}]\n");
  EXPECT_EQ(folder.Load(), Result::kLoaded);
  EXPECT_TRUE(folder.Limited("new", "k"));
  folder.Remove("b.yaml");
  EXPECT_EQ(folder.Load(), Result::kLoaded);
  EXPECT_FALSE(folder.Limited("new", "k"));
}

// -- settings ---

TEST(Section9Test, R9_5_7_SettingsHaveTheServicesDefaults) {
  const auto fallback = [](std::string_view name) {
    const cli::EnvVariable* const variable = cli::FindEnvVariable(name);
    return variable == nullptr ? "unknown" : std::string(variable->fallback);
  };
  EXPECT_EQ(fallback("REDIS_POOL_ON_EMPTY_BEHAVIOR"), "WAIT");
  EXPECT_EQ(fallback("REDIS_PERSECOND_POOL_ON_EMPTY_BEHAVIOR"), "WAIT");
  EXPECT_EQ(fallback("REDIS_CLUSTER_PIPELINE_PARALLELISM"), "1");
  EXPECT_EQ(fallback("PROMETHEUS_RESPONSE_TIME_AS_MILLISECONDS"), "false");
  EXPECT_EQ(fallback("LOCAL_CACHE_SIZE_IN_BYTES"), "0");
  EXPECT_EQ(fallback("STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT"), "false");
}

}  // namespace
}  // namespace weir::reference
