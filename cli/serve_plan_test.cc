#include "cli/serve_plan.h"

#include <gtest/gtest.h>

namespace weir::cli {
namespace {

ServeResolution WithStore(const std::string& url) {
  ServeFlags flags;
  flags.policy = "/policy";
  flags.store = url;
  return ResolveServe(flags);
}

TEST(ServePlanTest, AStoreBehindSentinelsIsTakenByTheNameTheyKnow) {
  const ServeResolution resolved = WithStore("redis+sentinel://10.0.0.1,10.0.0.2:26380/shop");
  ASSERT_EQ(resolved.error, "");
  ASSERT_TRUE(resolved.plan.shared);
  EXPECT_EQ(resolved.plan.shared->endpoint.kind, redis::Endpoint::Kind::kSentinel);
  EXPECT_EQ(resolved.plan.shared->endpoint.sentinel_name, "shop");
  EXPECT_EQ(resolved.plan.shared->endpoint.servers.size(), 2U);
}

TEST(ServePlanTest, AClusterIsRefusedWithWhatToNameInstead) {
  const std::string error = WithStore("redis+cluster://10.0.0.1").error;
  EXPECT_NE(error.find("clusters are not spoken to yet"), std::string::npos) << error;
  EXPECT_NE(error.find("redis+sentinel://"), std::string::npos);
}

}  // namespace
}  // namespace weir::cli
