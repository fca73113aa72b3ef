#include "net/grpc_health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/h2_client_for_test.h"
#include "net/loop.h"
#include "weir/base/manual_clock.h"

namespace weir::net {
namespace {

class GrpcHealthTest : public testing::Test {
 protected:
  GrpcHealthTest() {
    service_.AddTo(router_);
    session_ = NewGrpcSession(transport_, router_, options_);
  }
  void Exchange() { client_.Exchange(*session_); }
  std::int32_t Ask(std::string_view method, const std::string& service) {
    std::string request;
    if (!service.empty())
      request = "\x0a" + std::string(1, static_cast<char>(service.size())) + service;
    const auto stream =
        client_.Call("/grpc.health.v1.Health/" + std::string(method), Framed(request));
    Exchange();
    return stream;
  }
  // A change is told through the loop.
  void Set(std::string_view service, ServingStatus status) {
    status_.Set(service, status);
    loop_.Post([this] { loop_.Stop(); });
    loop_.Run();
    Exchange();
  }

  ManualClock clock_;
  Loop loop_{clock_};
  HealthStatus status_;
  HealthService service_{loop_, status_};
  GrpcRouter router_;
  GrpcOptions options_;
  MemoryTransport transport_;
  std::unique_ptr<Session> session_;
  H2Client client_{transport_};
};

const std::string kServing = Framed("\x08\x01");
const std::string kNotServing = Framed("\x08\x02");
const std::string kServiceUnknown = Framed("\x08\x03");

TEST_F(GrpcHealthTest, ChecksKnownNamesAndFailsUnknownOnes) {
  status_.Set("", ServingStatus::kServing);
  status_.Set("a.B", ServingStatus::kNotServing);
  EXPECT_EQ(client_.responses[Ask("Check", "")].content, kServing);
  EXPECT_EQ(client_.responses[Ask("Check", "a.B")].content, kNotServing);
  EXPECT_EQ(client_.responses[Ask("Check", "a.C")].field("grpc-status"), "5");
}

TEST_F(GrpcHealthTest, FailsARequestThatDoesNotParse) {
  const auto stream = client_.Call("/grpc.health.v1.Health/Check", Framed("\x0a\x7f"));
  Exchange();
  EXPECT_EQ(client_.responses[stream].field("grpc-status"), "13");
}

TEST_F(GrpcHealthTest, Lists) {
  status_.Set("", ServingStatus::kServing);
  status_.Set("a", ServingStatus::kNotServing);
  using std::string_literals::operator""s;
  EXPECT_EQ(client_.responses[Ask("List", "")].content,
            Framed("\x0a\x06\x0a\x00\x12\x02\x08\x01\x0a\x07\x0a\x01\x61\x12\x02\x08\x02"s));
  for (int i = 0; i < 200; ++i) status_.Set(std::to_string(i), ServingStatus::kServing);
  EXPECT_EQ(client_.responses[Ask("List", "")].field("grpc-status"), "8");
}

TEST_F(GrpcHealthTest, WatchSaysTheStatusAtOnceAndEachChangeOnce) {
  status_.Set("", ServingStatus::kServing);
  const auto stream = Ask("Watch", "");
  EXPECT_EQ(client_.responses[stream].content, kServing);
  Set("", ServingStatus::kServing);
  EXPECT_EQ(client_.responses[stream].content, kServing);
  Set("", ServingStatus::kNotServing);
  EXPECT_EQ(client_.responses[stream].content, kServing + kNotServing);
  EXPECT_FALSE(client_.responses[stream].closed);
}

TEST_F(GrpcHealthTest, WatchOfAnUnknownNameStaysOpenUntilItIsKnown) {
  const auto stream = Ask("Watch", "a.B");
  EXPECT_EQ(client_.responses[stream].content, kServiceUnknown);
  Set("a.B", ServingStatus::kServing);
  EXPECT_EQ(client_.responses[stream].content, kServiceUnknown + kServing);
}

TEST_F(GrpcHealthTest, ForgetsAWatchThatWasReset) {
  const auto stream = Ask("Watch", "a.B");
  client_.Reset(stream);
  Exchange();
  Set("a.B", ServingStatus::kServing);
  EXPECT_EQ(client_.responses[stream].content, kServiceUnknown);
}

TEST_F(GrpcHealthTest, ADrainIsSeenByEveryWatch) {
  status_.Set("", ServingStatus::kServing);
  status_.Set("a.B", ServingStatus::kServing);
  const auto one = Ask("Watch", "");
  const auto two = Ask("Watch", "a.B");
  status_.SetAll(ServingStatus::kNotServing);
  Set("other", ServingStatus::kServing);
  EXPECT_EQ(client_.responses[one].content, kServing + kNotServing);
  EXPECT_EQ(client_.responses[two].content, kServing + kNotServing);
}

}  // namespace
}  // namespace weir::net
