// A foreign client: grpc++ with protoc's own code, against a real instance on a real socket.

#include <chrono>
#include <memory>
#include <string>

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "cli/instance.h"
#include "envoy/service/ratelimit/v3/rls.grpc.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "net/loop_thread.h"
#include "weir/base/system_clock.h"
#include "weir/store/memory_store.h"

namespace weir {
namespace {

namespace rls_v3 = envoy::service::ratelimit::v3;

// One instance with `tenant` limited to two an hour, and a channel to it.
class GrpcppTest : public testing::Test {
 protected:
  GrpcppTest()
      : store_({.max_keys = 1000, .max_bytes = 0, .now = clock_.Read()}), control_(clock_) {
    cli::InstanceOptions options;
    options.workers = 2;
    options.grpc = "127.0.0.1:0";
    control_.Call([&] {
      instance_ = std::make_unique<cli::Instance>(clock_, control_.loop(), store_, options);
      Rule rule;
      rule.quota =
          *MakeQuota({.algorithm = Algorithm::kFixedWindow, .limit = 2, .unit = Unit::kYear});
      rule.name = "yearly";
      DomainRules shop;
      shop.name = "shop";
      RuleNode tenant;
      tenant.key = "tenant";
      tenant.rule = rule;
      shop.children.push_back(std::move(tenant));
      instance_->engine().SetPolicy(Policy::Build({shop}, {.fingerprint = {}}));
      error_ = instance_->Listen();
      address_ = instance_->grpc_address();
    });
    channel_ = grpc::CreateChannel(address_, grpc::InsecureChannelCredentials());
    stub_ = rls_v3::RateLimitService::NewStub(channel_);
  }
  ~GrpcppTest() override {
    stub_.reset();
    channel_.reset();
    control_.Call([&] { instance_.reset(); });
  }

  grpc::Status Ask(const rls_v3::RateLimitRequest& request, rls_v3::RateLimitResponse& response) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    return stub_->ShouldRateLimit(&context, request, &response);
  }
  static rls_v3::RateLimitRequest For(const std::string& tenant) {
    rls_v3::RateLimitRequest request;
    request.set_domain("shop");
    auto* const entry = request.add_descriptors()->add_entries();
    entry->set_key("tenant");
    entry->set_value(tenant);
    return request;
  }

  SystemClock clock_;
  MemoryStore store_;
  net::LoopThread control_;
  std::unique_ptr<cli::Instance> instance_;
  std::string error_;
  std::string address_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<rls_v3::RateLimitService::Stub> stub_;
};

TEST_F(GrpcppTest, CountsDownToOverLimitAndNamesTheRule) {
  ASSERT_EQ(error_, "");
  for (const std::uint32_t remaining : {1U, 0U}) {
    rls_v3::RateLimitResponse response;
    ASSERT_TRUE(Ask(For("acme"), response).ok());
    EXPECT_EQ(response.overall_code(), rls_v3::RateLimitResponse::OK);
    ASSERT_EQ(response.statuses_size(), 1);
    EXPECT_EQ(response.statuses(0).limit_remaining(), remaining);
    EXPECT_EQ(response.statuses(0).current_limit().name(), "yearly");
    EXPECT_EQ(response.statuses(0).current_limit().unit(),
              rls_v3::RateLimitResponse::RateLimit::YEAR);
  }
  rls_v3::RateLimitResponse response;
  ASSERT_TRUE(Ask(For("acme"), response).ok());
  EXPECT_EQ(response.overall_code(), rls_v3::RateLimitResponse::OVER_LIMIT);
  ASSERT_TRUE(Ask(For("globex"), response).ok());
  EXPECT_EQ(response.overall_code(), rls_v3::RateLimitResponse::OK);
}

TEST_F(GrpcppTest, C78_AnEmptyDomainAndAnEmptyListAreRefusedInTheReferencesWords) {
  rls_v3::RateLimitResponse response;
  const grpc::Status no_domain = Ask({}, response);
  EXPECT_EQ(no_domain.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(no_domain.error_message(), "rate limit domain must not be empty");
  rls_v3::RateLimitRequest request;
  request.set_domain("shop");
  EXPECT_EQ(Ask(request, response).error_message(), "rate limit descriptor list must not be empty");
}

TEST_F(GrpcppTest, C77_AnOverrideWithoutAUnitFallsBackToTheRule) {
  rls_v3::RateLimitRequest request = For("acme");
  request.mutable_descriptors(0)->mutable_limit()->set_requests_per_unit(5);
  rls_v3::RateLimitResponse response;
  ASSERT_TRUE(Ask(request, response).ok());
  EXPECT_EQ(response.statuses(0).current_limit().requests_per_unit(), 2U);
  EXPECT_TRUE(Ask(For("acme"), response).ok());
}

TEST_F(GrpcppTest, C79_AHugeAddendIsOverTheLimitAndCostsNothing) {
  rls_v3::RateLimitRequest request = For("acme");
  request.mutable_descriptors(0)->mutable_hits_addend()->set_value(~std::uint64_t{0});
  rls_v3::RateLimitResponse response;
  ASSERT_TRUE(Ask(request, response).ok());
  EXPECT_EQ(response.overall_code(), rls_v3::RateLimitResponse::OVER_LIMIT);
  ASSERT_TRUE(Ask(For("acme"), response).ok());
  EXPECT_EQ(response.overall_code(), rls_v3::RateLimitResponse::OK);
}

TEST_F(GrpcppTest, HealthIsServingByEveryNameAndUnknownNamesAreNotFound) {
  auto stub = grpc::health::v1::Health::NewStub(channel_);
  for (const char* name : {"", "ratelimit", "envoy.service.ratelimit.v3.RateLimitService"}) {
    grpc::ClientContext context;
    grpc::health::v1::HealthCheckRequest request;
    grpc::health::v1::HealthCheckResponse response;
    request.set_service(name);
    ASSERT_TRUE(stub->Check(&context, request, &response).ok()) << name;
    EXPECT_EQ(response.status(), grpc::health::v1::HealthCheckResponse::SERVING) << name;
  }
  grpc::ClientContext context;
  grpc::health::v1::HealthCheckRequest request;
  grpc::health::v1::HealthCheckResponse response;
  request.set_service("nobody");
  EXPECT_EQ(stub->Check(&context, request, &response).error_code(), grpc::StatusCode::NOT_FOUND);
}

}  // namespace
}  // namespace weir
