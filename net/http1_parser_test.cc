#include "net/http1_parser.h"

#include <gtest/gtest.h>

namespace weir::net {
namespace {

TEST(Http1ParserTest, GivesLineAndFieldsAsViews) {
  RequestHead head;
  ASSERT_TRUE(ParseHead("BREW /pot?x HTTP/1.0\r\nA:  b \r\nC:\r\n\r\n", &head));
  EXPECT_EQ(head.method, "BREW");
  EXPECT_EQ(head.target, "/pot?x");
  EXPECT_EQ(head.version, 10);
  ASSERT_EQ(head.headers.size(), 2U);
  EXPECT_EQ(head.headers[0], (HttpHeader{"A", "b"}));
  EXPECT_EQ(head.headers[1], (HttpHeader{"C", ""}));
  EXPECT_FALSE(head.keep_alive);
}

TEST(Http1ParserTest, KnowsWhoKeepsTheConnection) {
  RequestHead head;
  ASSERT_TRUE(ParseHead("GET / HTTP/1.1\r\n\r\n", &head));
  EXPECT_TRUE(head.keep_alive);
  ASSERT_TRUE(ParseHead("GET / HTTP/1.1\r\nConnection: x, Close\r\n\r\n", &head));
  EXPECT_FALSE(head.keep_alive);
  ASSERT_TRUE(ParseHead("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", &head));
  EXPECT_TRUE(head.keep_alive);
}

TEST(Http1ParserTest, SplitsTargetsOfEveryForm) {
  const auto split = [](std::string_view method, std::string_view target) {
    const TargetParts p = SplitTarget(method, target);
    return std::string(p.path) + "|" + std::string(p.query);
  };
  EXPECT_EQ(split("GET", "/a/b"), "/a/b|");
  EXPECT_EQ(split("GET", "/a%2Fb?c=d?e"), "/a%2Fb|c=d?e");
  EXPECT_EQ(split("GET", "http://h/a?b"), "/a|b");
  EXPECT_EQ(split("GET", "http://h?b"), "/|b");
  EXPECT_EQ(split("GET", "http://h"), "/|");
  EXPECT_EQ(split("OPTIONS", "*"), "*|");
  EXPECT_EQ(split("CONNECT", "h:443"), "|");
}

}  // namespace
}  // namespace weir::net
