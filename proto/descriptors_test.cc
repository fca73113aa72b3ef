#include "proto/descriptors.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

namespace weir::proto {
namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::UnorderedElementsAre;

TEST(DescriptorsTest, EveryFileParsesAndComesAfterItsImports) {
  google::protobuf::DescriptorPool pool;
  std::set<std::string> names;
  for (const DescriptorFile& file : DescriptorFiles()) {
    google::protobuf::FileDescriptorProto parsed;
    ASSERT_TRUE(parsed.ParseFromArray(file.bytes.data(), static_cast<int>(file.bytes.size())));
    EXPECT_EQ(parsed.name(), file.name);
    const google::protobuf::FileDescriptor* const built = pool.BuildFile(parsed);
    ASSERT_NE(built, nullptr) << file.name;
    for (const std::string& symbol : file.symbols) {
      EXPECT_EQ(pool.FindFileContainingSymbol(symbol), built) << symbol;
    }
    names.insert(parsed.name());
  }
  EXPECT_THAT(names, IsSupersetOf({"envoy/service/ratelimit/v3/rls.proto",
                                   "envoy/extensions/common/ratelimit/v3/ratelimit.proto",
                                   "grpc/health/v1/health.proto", "google/protobuf/struct.proto"}));
}

TEST(DescriptorsTest, SymbolsCarryTheirFullNames) {
  const auto files = DescriptorFiles();
  const auto rls = std::find_if(files.begin(), files.end(), [](const DescriptorFile& file) {
    return file.name == "envoy/service/ratelimit/v3/rls.proto";
  });
  ASSERT_NE(rls, files.end());
  for (const char* symbol : {"envoy.service.ratelimit.v3.RateLimitService",
                             "envoy.service.ratelimit.v3.RateLimitService.ShouldRateLimit",
                             "envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.Unit"}) {
    EXPECT_THAT(rls->symbols, Contains(symbol));
  }
}

TEST(DescriptorsTest, NamesTheServices) {
  EXPECT_THAT(ServiceNames(),
              UnorderedElementsAre("envoy.service.ratelimit.v3.RateLimitService",
                                   "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
                                   "grpc.reflection.v1alpha.ServerReflection"));
}

}  // namespace
}  // namespace weir::proto
