#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http1_rig.h"
#include "net/http1_session.h"

namespace weir::net {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using When = RecordingHandler::When;

struct Refusal {
  const char* name;
  std::string bytes;
  int status;
};
class Http1RefusalTest : public testing::TestWithParam<Refusal> {};

TEST_P(Http1RefusalTest, IsRefusedAndNothingAfterItIsRead) {
  Http1Rig rig;
  const std::string out = rig.Send(GetParam().bytes + Get("/smuggled"));
  EXPECT_THAT(out, StartsWith("HTTP/1.1 " + std::to_string(GetParam().status)));
  EXPECT_THAT(out, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(out, HasSubstr("application/problem+json"));
  EXPECT_EQ(CountOf(out, "\r\nDate: "), 1U);
  EXPECT_TRUE(rig.handler.seen.empty());
  rig.Pass(Http1Session::kLinger);
  EXPECT_TRUE(rig.session.finished());
}

INSTANTIATE_TEST_SUITE_P(
    Smuggling, Http1RefusalTest,
    testing::Values(
        Refusal{"LengthBesideChunked",
                PostWith("Content-Length: 6\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\nG"), 400},
        Refusal{"ChunkedBesideLength",
                PostWith("Transfer-Encoding: chunked\r\nContent-Length: 6\r\n", "0\r\n\r\nG"), 400},
        Refusal{"TwoLengths", PostWith("Content-Length: 0\r\nContent-Length: 9\r\n"), 400},
        Refusal{"TwoEqualLengths", PostWith("Content-Length: 0\r\nContent-Length: 0\r\n"), 400},
        Refusal{"LengthList", PostWith("Content-Length: 3, 3\r\n", "abc"), 400},
        Refusal{"SignedLength", PostWith("Content-Length: +3\r\n", "abc"), 400},
        Refusal{"SpaceBeforeColon", PostWith("Content-Length : 3\r\n", "abc"), 400},
        Refusal{"FoldedCoding", PostWith("Transfer-Encoding:\r\n chunked\r\n"), 400},
        Refusal{"FoldedValue", PostWith("X: a\r\n b\r\n"), 400},
        Refusal{"VerticalTabCoding",
                PostWith("Transfer-Encoding: \x0b"
                         "chunked\r\n"),
                400},
        Refusal{"OddCoding", PostWith("Transfer-Encoding: xchunked\r\n"), 400},
        Refusal{"CodingThenIdentity", PostWith("Transfer-Encoding: chunked, identity\r\n"), 400},
        Refusal{"TwoCodings", PostWith("Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n"),
                400},
        Refusal{"CodingInHttp10", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        Refusal{"BareLineFeeds", "GET / HTTP/1.1\nHost: a\n\n", 400},
        Refusal{"BareLineFeedInValue", PostWith("X: a\nTransfer-Encoding: chunked\r\n"), 400},
        Refusal{"BareCarriageReturn", PostWith("X: a\rTransfer-Encoding: chunked\r\n"), 400},
        Refusal{"NulInValue", PostWith(std::string("X: a\0b\r\n", 8)), 400},
        Refusal{"NoHost", "GET / HTTP/1.1\r\n\r\n", 400},
        Refusal{"TwoHosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
        Refusal{"HostList", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", 400}),
    [](const auto& param) { return param.param.name; });

INSTANTIATE_TEST_SUITE_P(
    NotOurs, Http1RefusalTest,
    testing::Values(Refusal{"Http2Preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
                    Refusal{"TlsHello", std::string("\x16\x03\x01\x02\x00", 5), 400},
                    Refusal{"Http09", "GET /\r\n\r\n", 400},
                    Refusal{"UnknownExpectation", PostWith("Expect: luck\r\n"), 417}),
    [](const auto& param) { return param.param.name; });

TEST(Http1SmugglingTest, RefusesABareLineFeedInAChunkSizeLine) {
  Http1Rig rig;
  const std::string out = rig.Send(
      PostWith("Transfer-Encoding: chunked\r\n", "3;\nabc\r\n0\r\n\r\n") + Get("/smuggled"));
  EXPECT_THAT(out, StartsWith("HTTP/1.1 400"));
  EXPECT_TRUE(rig.handler.seen.empty());
  EXPECT_TRUE(rig.session.finished());
}

TEST(Http1SmugglingTest, RefusesAChunkLongerThanItSays) {
  Http1Rig rig;
  EXPECT_THAT(rig.Send(PostWith("Transfer-Encoding: chunked\r\n", "3\r\nabcXX0\r\n\r\n")),
              StartsWith("HTTP/1.1 400"));
}

TEST(Http1SmugglingTest, AnswersEarlierRequestsBeforeTheRefusal) {
  Http1Rig rig;
  rig.handler.when = When::kLater;
  EXPECT_EQ(rig.Send(Get("/1") + "GET / HTTP/1.1\n"), "");
  EXPECT_FALSE(rig.session.finished());
  rig.handler.AnswerAll();
  const std::string out = rig.Output();
  EXPECT_LT(out.find("200 OK"), out.find("400 Bad"));
  EXPECT_TRUE(rig.session.finished());
}

}  // namespace
}  // namespace weir::net
