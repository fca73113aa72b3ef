// The verbs that ask, against a real instance on real sockets.

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/asker.h"
#include "cli/descriptor_words.h"
#include "cli/health_check.h"
#include "cli/hit_text.h"
#include "cli/instance.h"
#include "net/loop_thread.h"
#include "weir/base/manual_clock.h"
#include "weir/config/policy_loader.h"
#include "weir/store/memory_store.h"

namespace weir::cli {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr const char* kShop =
    "domain: shop\n"
    "descriptors:\n"
    "  - key: tenant\n"
    "    rate_limit: {unit: second, requests_per_unit: 5}\n";

class ClientsTest : public ::testing::Test {
 protected:
  ClientsTest()
      : clock_(Now{Instant(seconds(1000)), WallTime(seconds(1'700'000'000))}), control_(clock_) {
    const std::vector<SourceFile> files{{"shop.yaml", kShop}};
    LoadedPolicy loaded = LoadPolicy(files, {});
    EXPECT_TRUE(loaded.ok());
    control_.Call([&] {
      InstanceOptions options;
      options.grpc = "127.0.0.1:0";
      options.http = "127.0.0.1:0";
      instance_ = std::make_unique<Instance>(clock_, control_.loop(), store_, options);
      instance_->engine().SetPolicy(Policy::Build(std::move(loaded.domains), {}));
      EXPECT_EQ(instance_->Listen(), "");
    });
    EXPECT_EQ(words_.Parse({"tenant=acme"}), "");
    request_.domain = "shop";
    request_.descriptors = words_.asked();
  }
  ~ClientsTest() override {
    control_.Call([&] { instance_.reset(); });
  }

  // Asks seven times; time stands still.
  static HitTally AskSeven(Asker& asker) {
    HitTally tally;
    for (int i = 0; i < 7; ++i) {
      const auto heard = asker.Ask();
      EXPECT_TRUE(heard) << (heard ? "" : heard.error().message);
      if (heard) tally.Add(*heard);
    }
    return tally;
  }

  ManualClock clock_;
  MemoryStore store_{MemoryStoreOptions{}};
  net::LoopThread control_;
  std::unique_ptr<Instance> instance_;
  DescriptorWords words_;
  Request request_;
};

TEST_F(ClientsTest, HitsOverGrpcShowTheLimitAndTheHeaders) {
  auto asker = NewGrpcAsker(instance_->grpc_address(), request_, seconds(10));
  ASSERT_TRUE(asker) << asker.error().message;
  const HitTally tally = AskSeven(**asker);
  EXPECT_EQ(tally.words.at("OK"), 5U);
  EXPECT_EQ(tally.words.at("OVER_LIMIT"), 2U);
  EXPECT_EQ(tally.first_over_number, 6U);
  ASSERT_TRUE(tally.first_over);
  EXPECT_THAT(HeardText(*tally.first_over), HasSubstr("5/SECOND, 0 left"));
  EXPECT_THAT(HeardText(*tally.first_over), HasSubstr("retry-after: 1"));
}

TEST_F(ClientsTest, HitsOverHttpShowRuleAndBasis) {
  auto asker = NewHttpAsker("http://" + instance_->http_address(), request_, seconds(10));
  ASSERT_TRUE(asker) << asker.error().message;
  const HitTally tally = AskSeven(**asker);
  EXPECT_EQ(tally.words.at("200"), 5U);
  EXPECT_EQ(tally.words.at("429"), 2U);
  ASSERT_TRUE(tally.first_over);
  EXPECT_THAT(HeardText(*tally.first_over), HasSubstr("shop/tenant, 0 of 5 left, basis store"));
  EXPECT_THAT(HeardText(*tally.first_over), HasSubstr("retry-after: 1"));
}

TEST_F(ClientsTest, ARefusedRequestIsAnAnswer) {
  request_.domain = "";
  auto asker = NewGrpcAsker(instance_->grpc_address(), request_, seconds(10));
  ASSERT_TRUE(asker);
  const auto heard = (*asker)->Ask();
  ASSERT_TRUE(heard) << heard.error().message;
  EXPECT_EQ(heard->kind, Heard::Kind::kRefused);
  EXPECT_EQ(heard->word, "INVALID_ARGUMENT");
}

TEST_F(ClientsTest, HealthFollowsTheService) {
  const std::string where = instance_->grpc_address();
  const auto health = AskGrpcHealth(where, "", seconds(10));
  ASSERT_TRUE(health) << health.error().message;
  EXPECT_TRUE(health->serving);
  EXPECT_EQ(health->word, "SERVING");

  const auto unknown = AskGrpcHealth(where, "nobody", seconds(10));
  ASSERT_TRUE(unknown);
  EXPECT_FALSE(unknown->serving);
  EXPECT_THAT(unknown->word, HasSubstr("NOT_FOUND"));

  const auto http = AskHttpHealth("http://" + instance_->http_address(), seconds(10));
  ASSERT_TRUE(http);
  EXPECT_TRUE(http->serving);
}

TEST_F(ClientsTest, GrpcOnTheHttpPortIsUnreachable) {
  EXPECT_FALSE(AskGrpcHealth(instance_->http_address(), "", seconds(10)));
}

}  // namespace
}  // namespace weir::cli
