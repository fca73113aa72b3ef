#include "net/http1_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http1_rig.h"

namespace weir::net {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using When = RecordingHandler::When;
using std::chrono::seconds;

TEST(Http1SessionTest, AnswersARequestInOneWrite) {
  Http1Rig rig;
  EXPECT_EQ(rig.Send(Get("/a?b")),
            "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: text/plain\r\n"
            "Content-Length: 4\r\n\r\n/a?b");
  EXPECT_EQ(rig.transport.writes, 1);
  ASSERT_EQ(rig.handler.seen.size(), 1U);
  EXPECT_EQ(rig.handler.seen[0].path, "/a");
  EXPECT_EQ(rig.handler.seen[0].query, "b");
  EXPECT_EQ(rig.handler.seen[0].version, 11);
  EXPECT_FALSE(rig.session.finished());
}

TEST(Http1SessionTest, GivesHeadersAndPeerToTheHandler) {
  Http1Rig rig;
  rig.handler.on_request = [&](const HttpRequest& r) {
    EXPECT_EQ(r.header("x-TENANT"), "acme");
    EXPECT_EQ(r.header("absent"), std::nullopt);
    EXPECT_EQ(r.peer->address, "192.0.2.1");
    EXPECT_EQ(r.now, rig.transport.time);
  };
  rig.Send(Get("/", "X-Tenant:  acme \r\n"));
  EXPECT_EQ(rig.handler.seen.size(), 1U);
}

TEST(Http1SessionTest, UnderstandsEverythingSplitAtEveryByte) {
  const std::string stream =
      Post("/one", "body") + "\r\n" + PostChunked("/two") + Get("/three") + Post("/four", "");
  Http1Rig whole;
  const std::string answers = whole.Send(stream);
  ASSERT_EQ(whole.handler.seen.size(), 4U);
  EXPECT_EQ(whole.handler.seen[0].body, "body");
  EXPECT_EQ(whole.handler.seen[1].body, "abcde");
  EXPECT_EQ(whole.handler.seen[1].headers.size(), 2U);  // No trailer.
  for (std::size_t cut = 1; cut < stream.size(); ++cut) {
    Http1Rig rig;
    std::string got = rig.Send(stream.substr(0, cut));
    got += rig.Send(stream.substr(cut));
    ASSERT_EQ(got, answers) << cut;
    ASSERT_EQ(rig.handler.seen[1].body, "abcde") << cut;
    ASSERT_EQ(rig.handler.seen[0].headers, whole.handler.seen[0].headers) << cut;
  }
  Http1Rig bytes;
  std::string got;
  for (const char c : stream) got += bytes.Send(std::string_view(&c, 1));
  EXPECT_EQ(got, answers);
}

TEST(Http1SessionTest, EndsTheBatchOncePerRead) {
  Http1Rig rig;
  rig.handler.when = When::kAtBatchEnd;
  const std::string out = rig.Send(Get("/1") + Get("/2") + Get("/3"));
  EXPECT_EQ(rig.handler.batches, 1);
  EXPECT_EQ(CountOf(out, "HTTP/1.1 200 OK"), 3U);
  EXPECT_EQ(rig.transport.writes, 1);
  rig.Send("GET");
  EXPECT_EQ(rig.handler.batches, 1);
}

TEST(Http1SessionTest, KeepsLateAnswersInTheOrderOfTheRequests) {
  Http1Rig rig;
  rig.handler.when = When::kLater;
  EXPECT_EQ(rig.Send(Get("/1") + Get("/2") + Get("/3")), "");
  rig.handler.AnswerNth(2);
  rig.handler.AnswerNth(1);
  EXPECT_EQ(rig.Output(), "");
  rig.handler.AnswerNth(0);
  const std::string out = rig.Output();
  EXPECT_LT(out.find("/1"), out.find("/2"));
  EXPECT_LT(out.find("/2"), out.find("/3"));
  EXPECT_EQ(CountOf(out, "200 OK"), 3U);
}

TEST(Http1SessionTest, GivesEachExchangeAFreshContext) {
  Http1Rig rig;
  rig.handler.when = When::kLater;
  rig.Send(Get("/1"));
  EXPECT_EQ(rig.handler.waiting[0].exchange->context, &rig.handler);
  rig.handler.AnswerAll();
  struct Checks final : HttpHandler {
    void OnRequest(const HttpRequest&, HttpExchange& e) override { EXPECT_EQ(e.context, nullptr); }
  };
  Checks checks;
  StringTransport transport;
  const Http1Options options;
  Http1Session session(transport, checks, options);
  session.OnBytes(AsBytes(Get("/")));
}

TEST(Http1SessionTest, CancelsWhatNobodyWillRead) {
  RecordingHandler handler;
  handler.when = When::kLater;
  StringTransport transport;
  const Http1Options options;
  {
    Http1Session session(transport, handler, options);
    session.OnBytes(AsBytes(Get("/1") + Get("/2") + Get("/3")));
    handler.AnswerNth(1);  // Answered, though not sent: not cancelled.
  }
  EXPECT_EQ(handler.cancelled, 2);
}

TEST(Http1SessionTest, PassesUnknownMethodsToTheHandler) {
  Http1Rig rig;
  EXPECT_THAT(rig.Send("BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(rig.handler.seen[0].method, "BREW");
}

TEST(Http1SessionTest, AnswersHeadWithoutABody) {
  Http1Rig rig;
  const std::string out = rig.Send("HEAD /abc HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(out, HasSubstr("Content-Length: 4\r\n"));
  EXPECT_THAT(out, EndsWith("\r\n\r\n"));
}

TEST(Http1SessionTest, ClosesWhenAskedTo) {
  Http1Rig rig;
  const std::string out = rig.Send(Get("/", "Connection: close\r\n") + Get("/never"));
  EXPECT_THAT(out, HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(rig.session.finished());
  EXPECT_EQ(rig.handler.seen.size(), 1U);
}

TEST(Http1SessionTest, ClosesHttp10UnlessKeepAliveIsAsked) {
  Http1Rig closing;
  EXPECT_THAT(closing.Send("GET / HTTP/1.0\r\n\r\n"), HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(closing.session.finished());
  Http1Rig keeping;
  EXPECT_THAT(keeping.Send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"),
              HasSubstr("Connection: keep-alive\r\n"));
  EXPECT_FALSE(keeping.session.finished());
  EXPECT_EQ(keeping.handler.seen[0].version, 10);
}

TEST(Http1SessionTest, ClosesOnlyAfterEarlierAnswers) {
  Http1Rig rig;
  rig.handler.when = When::kLater;
  rig.Send(Get("/1") + Get("/2", "Connection: close\r\n"));
  rig.handler.AnswerNth(1);
  EXPECT_FALSE(rig.session.finished());
  rig.handler.AnswerNth(0);
  EXPECT_TRUE(rig.session.finished());
  EXPECT_EQ(CountOf(rig.Output(), "Connection: close"), 1U);
}

TEST(Http1SessionTest, ForgivesOneEmptyLineBetweenRequestsButNotTwo) {
  Http1Rig rig;
  EXPECT_THAT(rig.Send("\r\n" + Get("/1") + "\r\n" + Get("/2")), Not(HasSubstr("400")));
  EXPECT_THAT(rig.Send("\r\n\r\n" + Get("/3")), StartsWith("HTTP/1.1 400"));
}

// ---- expectations, endings

TEST(Http1SessionTest, AsksForABodyThatIsExpectedToBeAskedFor) {
  Http1Rig rig;
  EXPECT_EQ(rig.Send(PostWith("Expect: 100-continue\r\nContent-Length: 3\r\n")),
            "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_THAT(rig.Send("abc"), StartsWith("HTTP/1.1 200"));
}

TEST(Http1SessionTest, DoesNotAskForABodyThatIsAlreadyThere) {
  Http1Rig rig;
  EXPECT_EQ(rig.Send(PostWith("Expect: 100-continue\r\nContent-Length: 3\r\n", "a")), "");
  EXPECT_THAT(rig.Send("bc"), StartsWith("HTTP/1.1 200"));
}

TEST(Http1SessionTest, AsksForABodyOnlyWhenEarlierAnswersHaveLeft) {
  Http1Rig rig;
  rig.handler.when = When::kLater;
  EXPECT_EQ(rig.Send(Get("/1") + PostWith("Expect: 100-continue\r\nContent-Length: 3\r\n")), "");
  EXPECT_EQ(rig.Pass(seconds(60)), "");
  rig.handler.AnswerAll();
  const std::string out = rig.Output();
  EXPECT_THAT(out, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(out, EndsWith("HTTP/1.1 100 Continue\r\n\r\n"));
}

TEST(Http1SessionTest, RefusesATooLargeExpectedBodyWithoutAskingForIt) {
  Http1Options options;
  options.max_body = 2;
  Http1Rig rig(options);
  EXPECT_THAT(rig.Send(PostWith("Expect: 100-continue\r\nContent-Length: 3\r\n")),
              StartsWith("HTTP/1.1 413"));
}

TEST(Http1SessionTest, AnswersAPeerThatClosedItsSide) {
  Http1Rig rig;
  rig.handler.when = When::kLater;
  rig.Send(Get("/1") + "GET /half");
  rig.session.OnPeerClosed();
  EXPECT_FALSE(rig.session.finished());
  rig.handler.AnswerAll();
  EXPECT_THAT(rig.Output(), HasSubstr("200 OK"));
  EXPECT_TRUE(rig.session.finished());
}

TEST(Http1SessionTest, FinishesAnIdleConnectionWhenThePeerCloses) {
  Http1Rig rig;
  rig.session.OnPeerClosed();
  EXPECT_TRUE(rig.session.finished());
}

TEST(Http1DrainTest, FinishesAnIdleConnectionAtOnce) {
  Http1Rig rig;
  rig.Send(Get("/"));
  rig.session.Drain();
  EXPECT_TRUE(rig.session.finished());
}

TEST(Http1DrainTest, AnswersWhatIsInHandAndClosesOnTheLast) {
  Http1Rig rig;
  rig.handler.when = When::kLater;
  rig.Send(Get("/1") + Get("/2"));
  rig.session.Drain();
  EXPECT_EQ(rig.Send(Get("/3")), "");
  rig.handler.AnswerNth(0);
  EXPECT_THAT(rig.Output(), Not(HasSubstr("Connection: close")));
  EXPECT_FALSE(rig.session.finished());
  rig.handler.AnswerNth(0);
  EXPECT_THAT(rig.Output(), HasSubstr("Connection: close"));
  EXPECT_TRUE(rig.session.finished());
  EXPECT_EQ(rig.handler.seen.size(), 2U);
}

TEST(Http1DrainTest, TakesARequestThatHadBegun) {
  for (const char* half :
       {"GET / HT", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na"}) {
    Http1Rig rig;
    rig.Send(half);
    rig.session.Drain();
    EXPECT_FALSE(rig.session.finished());
    const std::string rest = half[0] == 'G' ? "TP/1.1\r\nHost: a\r\n\r\n" : "bc";
    EXPECT_THAT(rig.Send(rest + Get("/2")), HasSubstr("Connection: close"));
    EXPECT_TRUE(rig.session.finished());
    EXPECT_EQ(rig.handler.seen.size(), 1U);
  }
}

}  // namespace
}  // namespace weir::net
