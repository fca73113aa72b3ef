#include "net/http1_writer.h"

#include <array>

#include <gtest/gtest.h>

namespace weir::net {
namespace {

constexpr std::string_view kDate = "Sun, 06 Nov 1994 08:49:37 GMT";

std::string Text(const HttpResponse& response, AnswerFraming framing = {}) {
  std::string out;
  AppendAnswer(response, framing, kDate, &out);
  return out;
}

HttpResponse Status(int status) {
  HttpResponse response;
  response.status = status;
  return response;
}

TEST(DateTextTest, WritesTheDateOfTheStandard) {
  DateText date;
  EXPECT_EQ(date.At(WallTime(std::chrono::seconds(784111777))), kDate);
  EXPECT_EQ(date.At(WallTime(std::chrono::milliseconds(784111777999))), kDate);
  EXPECT_EQ(date.At(WallTime(std::chrono::seconds(784111778))), "Sun, 06 Nov 1994 08:49:38 GMT");
}

TEST(DateTextTest, KnowsLeapDaysAndTheEpoch) {
  DateText date;
  EXPECT_EQ(date.At(WallTime{}), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(date.At(WallTime(std::chrono::seconds(1709251199))), "Thu, 29 Feb 2024 23:59:59 GMT");
  EXPECT_EQ(date.At(WallTime(std::chrono::nanoseconds(-1))), "Wed, 31 Dec 1969 23:59:59 GMT");
}

TEST(Http1WriterTest, WritesAWholeAnswer) {
  const std::array<HttpHeader, 1> headers{{{"RateLimit", "\"a\";r=1"}}};
  EXPECT_EQ(
      Text({200, "application/json", headers, "{}"}),
      "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
      "Content-Type: application/json\r\nContent-Length: 2\r\nRateLimit: \"a\";r=1\r\n\r\n{}");
}

TEST(Http1WriterTest, SaysWhetherTheConnectionStays) {
  EXPECT_NE(Text(Status(429), {.close = true}).find("\r\nConnection: close\r\n"),
            std::string::npos);
  EXPECT_NE(Text(Status(429), {.keep_alive = true}).find("\r\nConnection: keep-alive\r\n"),
            std::string::npos);
  EXPECT_EQ(Text(Status(429)).find("Connection"), std::string::npos);
}

TEST(Http1WriterTest, TellsTheLengthToHeadWithoutABody) {
  const std::string text = Text({200, "text/plain", {}, "12345"}, {.head_only = true});
  EXPECT_NE(text.find("Content-Length: 5\r\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\r\n\r\n"));
}

TEST(Http1WriterTest, SendsNoBodyWhereNoneMayBe) {
  for (const int status : {204, 304}) {
    const std::string text = Text({status, "", {}, "12345"});
    EXPECT_EQ(text.find("Content-Length"), std::string::npos);
    EXPECT_TRUE(text.ends_with("\r\n\r\n"));
  }
}

TEST(Http1WriterTest, LetsNoTextBreakOutOfItsLine) {
  const std::array<HttpHeader, 2> headers{{{"X-A", "1\r\nSet-Cookie: x"}, {"X B\r\nEvil", "gone"}}};
  const std::string text = Text({200, "a\r\nb", headers, ""});
  EXPECT_NE(text.find("X-A: 1  Set-Cookie: x\r\n"), std::string::npos);
  EXPECT_NE(text.find("Content-Type: a  b\r\n"), std::string::npos);
  EXPECT_EQ(text.find("gone"), std::string::npos);
}

}  // namespace
}  // namespace weir::net
