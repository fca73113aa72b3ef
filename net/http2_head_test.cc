#include "net/http2_head.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace weir::net {
namespace {

using Fields = std::vector<std::pair<std::string_view, std::string_view>>;

bool Accepts(const Fields& fields, bool end_stream = true) {
  Http2HeadCheck check;
  for (const auto& [name, value] : fields) {
    if (!check.AddField(FieldNameOf(name), name, value)) return false;
  }
  return check.FinishHead(end_stream);
}

Fields Get(const Fields& more = {}) {
  Fields fields = {{":method", "GET"}, {":scheme", "http"}, {":path", "/"}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

TEST(Http2HeadTest, AcceptsOrdinaryRequests) {
  EXPECT_TRUE(Accepts(Get()));
  EXPECT_TRUE(Accepts(Get({{"te", "trailers"}, {"x-any", ""}, {"cookie", "a=b"}})));
  EXPECT_TRUE(Accepts({{":method", "CONNECT"}, {":authority", "a:1"}}));
}

TEST(Http2HeadTest, RefusesWrongPseudoFields) {
  EXPECT_FALSE(Accepts({{":method", "GET"}, {":scheme", "http"}}));
  EXPECT_FALSE(Accepts({{":method", "GET"}, {":path", "/"}}));
  EXPECT_FALSE(Accepts({{":scheme", "http"}, {":path", "/"}}));
  EXPECT_FALSE(Accepts({{":method", "GET"}, {":scheme", "http"}, {":path", ""}}));
  EXPECT_FALSE(Accepts(Get({{":path", "/"}})));
  EXPECT_FALSE(Accepts(Get({{":status", "200"}})));
  EXPECT_FALSE(Accepts(Get({{"a", "b"}, {":authority", "x"}})));
  EXPECT_FALSE(Accepts({{":method", "CONNECT"}, {":authority", "a:1"}, {":path", "/"}}));
}

TEST(Http2HeadTest, RefusesWrongFields) {
  for (const char* name : {"connection", "keep-alive", "proxy-connection", "transfer-encoding",
                           "upgrade", "Upper", "sp ace", ""}) {
    EXPECT_FALSE(Accepts(Get({{name, "x"}}))) << name;
  }
  EXPECT_FALSE(Accepts(Get({{"te", "gzip"}})));
  EXPECT_FALSE(Accepts(Get({{"x", " led"}})));
  EXPECT_FALSE(Accepts(Get({{"x", "trailed\t"}})));
  EXPECT_FALSE(Accepts(Get({{"x", "1234567\n9"}})));
  EXPECT_FALSE(Accepts(Get({{"x", std::string_view("a\0b", 3)}})));
  EXPECT_FALSE(Accepts(Get({{"x", "long enough for a word\r!"}})));
}

TEST(Http2HeadTest, HoldsContentToItsLength) {
  EXPECT_FALSE(Accepts(Get({{"content-length", "1"}})));
  EXPECT_FALSE(Accepts(Get({{"content-length", "-1"}}), false));
  EXPECT_FALSE(Accepts(Get({{"content-length", "3, 3"}}), false));
  EXPECT_FALSE(Accepts(Get({{"content-length", "3"}, {"content-length", "3"}}), false));
  Http2HeadCheck check;
  ASSERT_TRUE(check.AddField(FieldName::kContentLength, "content-length", "3"));
  EXPECT_TRUE(check.AddContent(2));
  EXPECT_FALSE(check.FinishContent());
  EXPECT_TRUE(check.AddContent(1));
  EXPECT_TRUE(check.FinishContent());
  EXPECT_FALSE(check.AddContent(1));
}

}  // namespace
}  // namespace weir::net
