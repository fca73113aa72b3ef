#include "net/grpc_wire.h"

#include <gtest/gtest.h>

namespace weir::net {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(GrpcWireTest, ReadsTimeouts) {
  EXPECT_EQ(ParseGrpcTimeout("20m"), milliseconds(20));
  EXPECT_EQ(ParseGrpcTimeout("1S"), seconds(1));
  EXPECT_EQ(ParseGrpcTimeout("100000u"), milliseconds(100));
  EXPECT_EQ(ParseGrpcTimeout("2M"), seconds(120));
  EXPECT_EQ(ParseGrpcTimeout("3H"), hours(3));
  EXPECT_EQ(ParseGrpcTimeout("7n"), Duration(7));
  EXPECT_EQ(ParseGrpcTimeout("0m"), Duration(0));
  EXPECT_EQ(ParseGrpcTimeout("99999999H"), Duration::max());
}

TEST(GrpcWireTest, RefusesMalformedTimeouts) {
  for (const char* text : {"", "1", "m", "-1S", "123456789S", "1.5S", "10 m", "1s", "+1S"}) {
    EXPECT_FALSE(ParseGrpcTimeout(text).has_value()) << text;
  }
}

TEST(GrpcWireTest, EncodesStatusTexts) {
  EXPECT_EQ(PercentEncode("over limit"), "over limit");
  EXPECT_EQ(PercentEncode("50% used"), "50%25 used");
  EXPECT_EQ(PercentEncode("na\xC3\xAFve"), "na%C3%AFve");
  EXPECT_EQ(PercentEncode("line\nbreak"), "line%0Abreak");
  EXPECT_EQ(PercentEncode("100 \xE2\x82\xAC"), "100 %E2%82%AC");
}

TEST(GrpcWireTest, KnowsItsContentTypes) {
  for (const char* good : {"application/grpc", "application/grpc+proto", "application/grpc;a=b"}) {
    EXPECT_TRUE(IsGrpcContentType(good)) << good;
  }
  for (const char* bad : {"", "application/json", "application/grpc-web", "application/grp"}) {
    EXPECT_FALSE(IsGrpcContentType(bad)) << bad;
  }
}

TEST(GrpcWireTest, WritesAndReadsPrefixes) {
  std::vector<std::uint8_t> out;
  AppendGrpcMessage(out, std::vector<std::uint8_t>(0x010203, 7));
  const GrpcPrefix prefix = ReadGrpcPrefix(out);
  EXPECT_EQ(prefix.flag, 0);
  EXPECT_EQ(prefix.length, 0x010203U);
  EXPECT_EQ(out.size(), kGrpcPrefixSize + 0x010203U);
}

TEST(GrpcWireTest, GivesUpOnWhatIsNotGzip) {
  std::vector<std::uint8_t> out;
  const std::uint8_t junk[] = {1, 2, 3};
  EXPECT_EQ(InflateGzip(junk, 10, out), InflateResult::kCorrupt);
  EXPECT_EQ(InflateGzip({}, 10, out), InflateResult::kCorrupt);
}

}  // namespace
}  // namespace weir::net
