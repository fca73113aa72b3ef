#include "net/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::net {
namespace {

TEST(AddressTest, ReadsWhatPeopleWrite) {
  EXPECT_EQ(*ParseAddress(":8081"), (Address{Address::Kind::kAny, "", 8081}));
  EXPECT_EQ(*ParseAddress("127.0.0.1:80"), (Address{Address::Kind::kIp4, "127.0.0.1", 80}));
  EXPECT_EQ(*ParseAddress("localhost:80"), (Address{Address::Kind::kIp4, "127.0.0.1", 80}));
  EXPECT_EQ(*ParseAddress("[::1]:80"), (Address{Address::Kind::kIp6, "::1", 80}));
  EXPECT_EQ(*ParseAddress("unix:/run/w.sock"), (Address{Address::Kind::kUnix, "/run/w.sock", 0}));
}

TEST(AddressTest, WritesWhatItReads) {
  for (const char* text : {":8081", "127.0.0.1:80", "[::1]:0", "unix:/run/w.sock"}) {
    EXPECT_EQ(ParseAddress(text)->text(), text);
  }
}

TEST(AddressTest, RefusesTheRestAndSaysWhy) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "port is missing"},        {"8081", "port is missing"},
      {":", "number from 0"},         {":65536", "number from 0"},
      {":80x", "number from 0"},      {":-1", "number from 0"},
      {"[::1:80", "not closed"},      {"[]:80", "no IPv6 address"},
      {"::1:80", "needs brackets"},   {"example.org:80", "not looked up"},
      {"256.0.0.1:80", "IP address"}, {"unix:", "path is missing"}};
  for (const auto& [text, why] : cases) {
    const auto parsed = ParseAddress(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_THAT(parsed.error().message, testing::HasSubstr(why)) << text;
  }
  EXPECT_FALSE(ParseAddress("unix:" + std::string(108, 'a')).ok());
}

TEST(AddressTest, ShowsMappedIp4AsIp4) {
  const auto mapped = ToSocketAddress({Address::Kind::kIp6, "::ffff:192.0.2.1", 7});
  EXPECT_EQ(Describe(mapped.storage).host, "192.0.2.1");
  EXPECT_EQ(Describe(mapped.storage).port, 7);
  EXPECT_EQ(Describe(ToSocketAddress({Address::Kind::kIp4, "192.0.2.1", 9}).storage).port, 9);
  EXPECT_EQ(Describe(ToSocketAddress({Address::Kind::kUnix, "/x", 0}).storage).host, "unix");
}

}  // namespace
}  // namespace weir::net
