#include "net/http1_head.h"

#include <string>

#include <gtest/gtest.h>

namespace weir::net {
namespace {

constexpr std::string_view kHost = "Host: a\r\n";

int Status(const std::string& head) {
  return CheckHead(head, HeadLimits{}).status;
}
// The status for a POST whose header section is `fields`, Host given besides.
int WithFields(const std::string& fields) {
  return Status("POST / HTTP/1.1\r\n" + std::string(kHost) + fields + "\r\n");
}
int WithLine(const std::string& line) {
  return Status(line + "\r\n" + std::string(kHost) + "\r\n");
}

TEST(Http1HeadTest, AcceptsAnOrdinaryHead) {
  const HeadVerdict v = CheckHead(
      "POST /v1/check?x=1 HTTP/1.1\r\nHost: example.com:8080\r\nContent-Length: 12\r\n"
      "X-Empty:\r\nX-Latin: caf\xe9\r\n\r\n",
      HeadLimits{});
  EXPECT_TRUE(v.ok()) << v.reason;
  EXPECT_EQ(v.content_length, 12U);
  EXPECT_FALSE(v.chunked);
  EXPECT_FALSE(v.expect_continue);
}

TEST(Http1HeadTest, AcceptsChunkedInAnyCase) {
  const HeadVerdict v =
      CheckHead("PUT / HTTP/1.1\r\nhost: a\r\ntransfer-ENCODING: Chunked\r\n\r\n", HeadLimits{});
  EXPECT_TRUE(v.ok()) << v.reason;
  EXPECT_TRUE(v.chunked);
}

TEST(Http1HeadTest, AcceptsTheFourTargetForms) {
  EXPECT_EQ(WithLine("GET / HTTP/1.1"), 0);
  EXPECT_EQ(WithLine("GET http://example.com/a?b HTTP/1.1"), 0);
  EXPECT_EQ(WithLine("GET http://example.com HTTP/1.1"), 0);
  EXPECT_EQ(WithLine("CONNECT example.com:443 HTTP/1.1"), 0);
  EXPECT_EQ(WithLine("OPTIONS * HTTP/1.1"), 0);
}

TEST(Http1HeadTest, RefusesTargetsOfNoForm) {
  EXPECT_EQ(WithLine("GET index.html HTTP/1.1"), 400);
  EXPECT_EQ(WithLine("GET * HTTP/1.1"), 400);
  EXPECT_EQ(WithLine("GET ://a/ HTTP/1.1"), 400);
  EXPECT_EQ(WithLine("GET 1http://a/ HTTP/1.1"), 400);
  EXPECT_EQ(WithLine("GET http:///a HTTP/1.1"), 400);
  EXPECT_EQ(WithLine("CONNECT /a HTTP/1.1"), 400);
}

TEST(Http1HeadTest, RefusesAFragmentInTheTarget) {
  EXPECT_EQ(WithLine("GET /a#b HTTP/1.1"), 400);
}

TEST(Http1HeadTest, RefusesControlsAndSpacesInTheTarget) {
  EXPECT_EQ(WithLine("GET /a\tb HTTP/1.1"), 400);
  EXPECT_EQ(WithLine(std::string("GET /a\0b HTTP/1.1", 17)), 400);
  EXPECT_EQ(WithLine("GET /a\x7f HTTP/1.1"), 400);
  EXPECT_EQ(WithLine("GET /a b HTTP/1.1"), 400);
}

TEST(Http1HeadTest, RefusesMalformedRequestLines) {
  EXPECT_EQ(WithLine("GET"), 400);
  EXPECT_EQ(WithLine("GET /"), 400);
  EXPECT_EQ(WithLine("GET  / HTTP/1.1"), 400);
  EXPECT_EQ(WithLine("GET / HTTP/1.1 "), 400);
  EXPECT_EQ(WithLine(" GET / HTTP/1.1"), 400);
  EXPECT_EQ(WithLine("G(T / HTTP/1.1"), 400);
  EXPECT_EQ(WithLine("GET / http/1.1"), 400);
  EXPECT_EQ(WithLine("GET / HTTP/1.10"), 400);
  EXPECT_EQ(WithLine("GET / HTTP/ 1.1"), 400);
}

TEST(Http1HeadTest, RefusesOtherVersions) {
  EXPECT_EQ(WithLine("GET / HTTP/0.9"), 505);
  EXPECT_EQ(WithLine("GET / HTTP/1.2"), 505);
  EXPECT_EQ(WithLine("GET / HTTP/3.0"), 505);
}

TEST(Http1HeadTest, RefusesTheHttp2PrefaceAndSaysWhy) {
  const HeadVerdict v = CheckHead("PRI * HTTP/2.0\r\n\r\n", HeadLimits{});
  EXPECT_EQ(v.status, 505);
  EXPECT_NE(v.reason.find("HTTP/2"), std::string_view::npos);
}

TEST(Http1HeadTest, RefusesFoldedLines) {
  EXPECT_EQ(WithFields("X-A: 1\r\n 2\r\n"), 400);
  EXPECT_EQ(WithFields("X-A: 1\r\n\t2\r\n"), 400);
  EXPECT_EQ(WithFields("Transfer-Encoding:\r\n chunked\r\n"), 400);
}

TEST(Http1HeadTest, RefusesAFoldedFirstField) {
  EXPECT_EQ(Status("GET / HTTP/1.1\r\n Host: a\r\n\r\n"), 400);
}

TEST(Http1HeadTest, RefusesSpaceBeforeTheColon) {
  EXPECT_EQ(WithFields("Content-Length : 3\r\n"), 400);
  EXPECT_EQ(WithFields("Transfer-Encoding\t: chunked\r\n"), 400);
}

TEST(Http1HeadTest, RefusesNamesThatAreNoTokens) {
  EXPECT_EQ(WithFields(": x\r\n"), 400);
  EXPECT_EQ(WithFields("X A: x\r\n"), 400);
  EXPECT_EQ(WithFields("X\xe9: x\r\n"), 400);
  EXPECT_EQ(WithFields("X[]: x\r\n"), 400);
  EXPECT_EQ(WithFields("no colon\r\n"), 400);
}

TEST(Http1HeadTest, RefusesBareCarriageReturnsAndControls) {
  EXPECT_EQ(WithFields("X-A: 1\rTransfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(WithFields(std::string("X-A: a\0b\r\n", 10)), 400);
  EXPECT_EQ(WithFields("X-A: a\x01\r\n"), 400);
  EXPECT_EQ(WithFields("X-A: a\x7f\r\n"), 400);
  EXPECT_EQ(WithFields("X-A: a\r\r\n"), 400);
}

TEST(Http1HeadTest, RefusesTwoContentLengthsEvenIfEqual) {
  EXPECT_EQ(WithFields("Content-Length: 3\r\nContent-Length: 4\r\n"), 400);
  EXPECT_EQ(WithFields("Content-Length: 3\r\ncontent-length: 3\r\n"), 400);
}

TEST(Http1HeadTest, RefusesAContentLengthList) {
  EXPECT_EQ(WithFields("Content-Length: 3, 3\r\n"), 400);
  EXPECT_EQ(WithFields("Content-Length: 3,\r\n"), 400);
}

TEST(Http1HeadTest, RefusesContentLengthsThatAreNotJustDigits) {
  for (const char* value : {"", "+3", "-3", "0x3", "3 3", "3.0", "3;q=1", "\"3\"", "1e1"}) {
    EXPECT_EQ(WithFields("Content-Length: " + std::string(value) + "\r\n"), 400) << value;
  }
}

TEST(Http1HeadTest, RefusesAContentLengthThatOverflows) {
  EXPECT_EQ(WithFields("Content-Length: 18446744073709551616\r\n"), 400);
  EXPECT_EQ(WithFields("Content-Length: 18446744073709551615\r\n"), 0);
  EXPECT_EQ(WithFields("Content-Length: 000000000000000000000000000003\r\n"), 0);
}

TEST(Http1HeadTest, RefusesContentLengthBesideTransferEncoding) {
  EXPECT_EQ(WithFields("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(WithFields("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n"), 400);
}

TEST(Http1HeadTest, RefusesEveryTransferEncodingButChunked) {
  for (const char* value :
       {"", "xchunked", "chunkedx", "identity", "gzip", "gzip, chunked", "chunked, identity",
        "chunked, chunked", "chunked;q=1", "\"chunked\"", ",chunked", "chunked,"}) {
    EXPECT_EQ(WithFields("Transfer-Encoding: " + std::string(value) + "\r\n"), 400) << value;
  }
}

TEST(Http1HeadTest, RefusesTwoTransferEncodings) {
  EXPECT_EQ(WithFields("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(WithFields("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"), 400);
}

TEST(Http1HeadTest, RefusesTransferEncodingInHttp10) {
  EXPECT_EQ(Status("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
}

TEST(Http1HeadTest, RefusesNoHostInHttp11ButNotInHttp10) {
  EXPECT_EQ(Status("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(Status("GET / HTTP/1.0\r\n\r\n"), 0);
}

TEST(Http1HeadTest, RefusesTwoHosts) {
  EXPECT_EQ(WithFields("Host: a\r\n"), 400);
  EXPECT_EQ(Status("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
}

TEST(Http1HeadTest, RefusesHostsThatCannotBeOne) {
  for (const char* host : {"a, b", "a b", "user@a", "a/b", "a?b", "a\xe9"}) {
    EXPECT_EQ(Status("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n"), 400) << host;
  }
  EXPECT_EQ(Status("GET / HTTP/1.1\r\nHost: [2001:db8::1]:80\r\n\r\n"), 0);
  EXPECT_EQ(Status("GET / HTTP/1.1\r\nHost:\r\n\r\n"), 0);  // Allowed by RFC 9112 section 3.2.
}

TEST(Http1HeadTest, KnowsOnlyOneExpectation) {
  EXPECT_TRUE(CheckHead("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n\r\n", HeadLimits{})
                  .expect_continue);
  EXPECT_EQ(WithFields("Expect: a miracle\r\n"), 417);
  const HeadVerdict old = CheckHead("POST / HTTP/1.0\r\nExpect: a miracle\r\n\r\n", HeadLimits{});
  EXPECT_TRUE(old.ok());
  EXPECT_FALSE(old.expect_continue);
}

TEST(Http1HeadTest, HoldsTheHeaderAndTargetLimitsExactly) {
  std::string fields;
  for (int i = 0; i < 99; ++i) fields += "X: y\r\n";
  EXPECT_EQ(WithFields(fields), 0);  // With Host: 100.
  EXPECT_EQ(WithFields(fields + "X: y\r\n"), 431);
  EXPECT_EQ(WithLine("GET /" + std::string(8191, 'a') + " HTTP/1.1"), 0);
  EXPECT_EQ(WithLine("GET /" + std::string(8192, 'a') + " HTTP/1.1"), 414);
}

TEST(HeadScannerTest, FindsTheEndWhereverTheBytesAreSplit) {
  const std::string head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  for (std::size_t cut = 0; cut <= head.size(); ++cut) {
    HeadScanner scanner;
    const auto first = scanner.Scan(head.substr(0, cut));
    EXPECT_EQ(first, cut == head.size() ? HeadScanner::Found::kEnd : HeadScanner::Found::kMore);
    if (cut < head.size()) {
      EXPECT_EQ(scanner.Scan(head + "tail"), HeadScanner::Found::kEnd);
    }
    EXPECT_EQ(scanner.end(), head.size());
  }
}

TEST(HeadScannerTest, RefusesBareLineFeedsAtOnce) {
  for (const char* text : {"GET / HTTP/1.1\n", "GET / HTTP/1.1\r\nHost: a\n", "\n", "A: b\r\n\n"}) {
    HeadScanner scanner;
    EXPECT_EQ(scanner.Scan(text), HeadScanner::Found::kBareFeed) << text;
  }
}

}  // namespace
}  // namespace weir::net
