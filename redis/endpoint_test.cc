#include "redis/endpoint.h"

#include <cstdio>
#include <fstream>

#include <gtest/gtest.h>

namespace weir::redis {
namespace {

std::string NoVariables(const std::string& name) {
  return name == "STORE_PASSWORD" ? "from-env" : "";
}

Endpoint Parse(std::string_view url) {
  auto parsed = ParseEndpoint(url, &NoVariables);
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().message);
  return parsed.ok() ? *parsed : Endpoint{};
}

TEST(EndpointTest, OneServerByNameAndPort) {
  Endpoint e = Parse("redis://store");
  EXPECT_EQ(e.servers, (std::vector<ServerAddress>{{"store", 6379, ""}}));
  EXPECT_FALSE(e.tls);
  EXPECT_EQ(e.prefix, "weir:");
  e = Parse("rediss://[2001:db8::1]:7000/3");
  EXPECT_EQ(e.servers[0].host, "2001:db8::1");
  EXPECT_EQ(e.servers[0].port, 7000);
  EXPECT_TRUE(e.tls);
  EXPECT_EQ(e.database, 3U);
  EXPECT_EQ(e.text(), "rediss://[2001:db8::1]:7000/3");
}

TEST(EndpointTest, ASocketOfThisMachine) {
  const Endpoint e = Parse("unix:///run/redis/redis.sock?database=2&prefix=shop%3A");
  EXPECT_EQ(e.servers[0].path, "/run/redis/redis.sock");
  EXPECT_EQ(e.database, 2U);
  EXPECT_EQ(e.prefix, "shop:");
  EXPECT_EQ(e.text(), "unix:///run/redis/redis.sock?database=2");
}

TEST(EndpointTest, ClustersAndSentinelsNameSeveral) {
  Endpoint e = Parse("redis+cluster://a:7000,b:7001,c");
  EXPECT_EQ(e.kind, Endpoint::Kind::kCluster);
  ASSERT_EQ(e.servers.size(), 3U);
  EXPECT_EQ(e.servers[2].port, 6379);
  e = Parse("redis+sentinel://a,b:26380/shop/1?sentinel_password_env=STORE_PASSWORD");
  EXPECT_EQ(e.kind, Endpoint::Kind::kSentinel);
  EXPECT_EQ(e.servers[0].port, 26379);
  EXPECT_EQ(e.sentinel_name, "shop");
  EXPECT_EQ(e.database, 1U);
  EXPECT_EQ(e.sentinel_login.password, "from-env");
  EXPECT_EQ(e.text(), "redis+sentinel://a:26379,b:26380/shop/1");
}

TEST(EndpointTest, PasswordsComeFromTheUrlTheEnvironmentOrAFile) {
  EXPECT_EQ(Parse("redis://weir:a%40b%3a@store").login.password, "a@b:");
  EXPECT_EQ(Parse("redis://:secret@store").login.password, "secret");
  EXPECT_EQ(Parse("redis://weir@store?password_env=STORE_PASSWORD").login.password, "from-env");
  const std::string file = testing::TempDir() + "weir-endpoint-password";
  std::ofstream(file) << "from file\n";
  const Endpoint e = Parse("redis://store?user=weir&password_file=" + file);
  EXPECT_EQ(e.login.user, "weir");
  EXPECT_EQ(e.login.Password().value(), "from file");
  std::ofstream(file) << "rotated";
  EXPECT_EQ(e.login.Password().value(), "rotated");
  std::remove(file.c_str());
  ASSERT_FALSE(e.login.Password().ok());
  EXPECT_NE(e.login.Password().error().message.find(file), std::string::npos);
}

TEST(EndpointTest, NoTextEverShowsASecret) {
  const std::string secret = "hunter2";
  const Endpoint e = Parse("redis://weir:" + secret + "@store:6379/1");
  EXPECT_EQ(e.text(), "redis://store:6379/1");
  for (const std::string& url :
       {"redis://weir:" + secret + "@store:x", "redis://weir:" + secret + "@store/x",
        "redis://weir:" + secret + "@store?prefix={", "http://weir:" + secret + "@store",
        "redis://weir:" + secret + "%4@store"}) {
    const auto parsed = ParseEndpoint(url, &NoVariables);
    ASSERT_FALSE(parsed.ok()) << url;
    EXPECT_EQ(parsed.error().message.find(secret), std::string::npos);
  }
}

TEST(EndpointTest, AWrongUrlIsRefusedWithARightOne) {
  for (const std::string_view url : {"",
                                     "store:6379",
                                     "http://store",
                                     "redis://",
                                     "redis://a,b",
                                     "redis://store:0",
                                     "redis://store:65536",
                                     "redis://store:12x",
                                     "redis://[::1",
                                     "redis://[::1]x",
                                     "redis://::1:6379",
                                     "redis://store/one",
                                     "redis://store/99999999",
                                     "unix://run/x",
                                     "unix://",
                                     "redis+sentinel://a",
                                     "redis+sentinel://a/",
                                     "redis+cluster://a/1",
                                     "redis://store?prefix=%7b",
                                     "redis://store?colour=red",
                                     "redis://store?password_env=NONE",
                                     "rediss://store?certificate_file=/a",
                                     "redis://store?prefix=%4"}) {
    const auto parsed = ParseEndpoint(url, &NoVariables);
    ASSERT_FALSE(parsed.ok()) << url;
    EXPECT_NE(parsed.error().message.find("redis://host:6379"), std::string::npos);
  }
  EXPECT_FALSE(ParseEndpoint("unix:///" + std::string(200, 'x'), &NoVariables).ok());
}

}  // namespace
}  // namespace weir::redis
