#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http1_rig.h"
#include "net/http1_session.h"

namespace weir::net {
namespace {

using testing::StartsWith;
using When = RecordingHandler::When;
using std::chrono::seconds;

TEST(Http1BoundsTest, RefusesAHeadAboveItsBound) {
  Http1Options options;
  options.max_head = 200;
  const std::string edge = Get("/", "X: " + std::string(168, 'x') + "\r\n");
  ASSERT_EQ(edge.size(), 200U);
  EXPECT_THAT(Http1Rig(options).Send(edge), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Http1Rig(options).Send(Get("/", "X: " + std::string(169, 'x') + "\r\n")),
              StartsWith("HTTP/1.1 431"));
  EXPECT_THAT(Http1Rig(options).Send("GET / HTTP/1.1\r\nX: " + std::string(400, 'x')),
              StartsWith("HTTP/1.1 431"));
  EXPECT_THAT(Http1Rig(options).Send("GET /" + std::string(400, 'x')), StartsWith("HTTP/1.1 414"));
}

TEST(Http1BoundsTest, RefusesTooManyHeaders) {
  std::string fields;
  for (int i = 0; i < 100; ++i) fields += "X: y\r\n";
  EXPECT_THAT(Http1Rig().Send(Get("/", fields)), StartsWith("HTTP/1.1 431"));
}

TEST(Http1BoundsTest, RefusesALongTarget) {
  EXPECT_THAT(Http1Rig().Send(Get("/" + std::string(8192, 'x'))), StartsWith("HTTP/1.1 414"));
}

TEST(Http1BoundsTest, RefusesABodyAboveItsBoundBeforeItArrives) {
  Http1Options options;
  options.max_body = 4;
  EXPECT_THAT(Http1Rig(options).Send(Post("/", "1234")), StartsWith("HTTP/1.1 200"));
  Http1Rig rig(options);
  EXPECT_THAT(rig.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"),
              StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(Http1Rig(options).Send(PostChunked("/")), StartsWith("HTTP/1.1 413"));
}

TEST(Http1BoundsTest, LingersAfterARefusalThatLeavesInputUnread) {
  Http1Options options;
  options.max_body = 4;
  Http1Rig rig(options);
  rig.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n");
  EXPECT_FALSE(rig.session.finished());
  EXPECT_EQ(rig.transport.wakes, 1);
  EXPECT_EQ(rig.session.OnTime(), rig.transport.time.steady + Http1Session::kLinger);
  EXPECT_EQ(rig.Send("12345" + Get("/")), "");
  rig.Pass(Http1Session::kLinger - Duration(1));
  EXPECT_FALSE(rig.session.finished());
  rig.Pass(Duration(1));
  EXPECT_TRUE(rig.session.finished());
  EXPECT_TRUE(rig.handler.seen.empty());
}

TEST(Http1BoundsTest, StopsLingeringWhenThePeerHasClosed) {
  Http1Rig rig;
  rig.Send(PostWith("Expect: luck\r\n"));
  EXPECT_FALSE(rig.session.finished());
  rig.session.OnPeerClosed();
  EXPECT_TRUE(rig.session.finished());
}

TEST(Http1BoundsTest, HoldsThePeerBackAtTheBoundOfRequestsInHand) {
  Http1Options options;
  options.max_in_hand = 2;
  Http1Rig rig(options);
  rig.handler.when = When::kLater;
  rig.Send(Get("/1") + Get("/2") + Get("/3") + Get("/4"));
  EXPECT_EQ(rig.handler.seen.size(), 2U);
  EXPECT_TRUE(rig.session.paused());
  rig.handler.AnswerNth(0);
  EXPECT_EQ(rig.handler.seen.size(), 2U);  // Not from within the answer,
  EXPECT_GE(rig.transport.wakes, 1);       // but when the loop comes back.
  rig.session.OnTime();
  EXPECT_EQ(rig.handler.seen.size(), 3U);
  EXPECT_TRUE(rig.session.paused());
  rig.handler.AnswerAll();
  rig.session.OnTime();
  rig.handler.AnswerAll();
  EXPECT_EQ(rig.handler.seen.size(), 4U);
  EXPECT_FALSE(rig.session.paused());
  const std::string out = rig.Output();
  EXPECT_EQ(CountOf(out, "200 OK"), 4U);
  EXPECT_LT(out.find("/3"), out.find("/4"));
}

TEST(Http1BoundsTest, GoesOnWithinOneReadWhenABatchAnswersAtOnce) {
  Http1Options options;
  options.max_in_hand = 2;
  Http1Rig rig(options);
  rig.handler.when = When::kAtBatchEnd;
  rig.Send(Get("/1") + Get("/2") + Get("/3") + Get("/4") + Get("/5"));
  EXPECT_EQ(rig.handler.seen.size(), 5U);
  EXPECT_EQ(rig.handler.batches, 3);
  EXPECT_FALSE(rig.session.paused());
}

TEST(Http1BoundsTest, TakesNothingMoreWhileThePeerDoesNotRead) {
  Http1Rig rig;
  rig.transport.unsent_bytes = Http1Session::kMaxUnsent + 1;
  rig.Send(Get("/1"));
  EXPECT_TRUE(rig.handler.seen.empty());
  EXPECT_TRUE(rig.session.paused());
  EXPECT_EQ(rig.session.OnTime(), rig.transport.time.steady + Http1Session::kUnsentPoll);
  rig.transport.unsent_bytes = 0;
  rig.session.OnTime();
  EXPECT_EQ(rig.handler.seen.size(), 1U);
  EXPECT_FALSE(rig.session.paused());
}

TEST(Http1TimeTest, GivesUpOnASlowHead) {
  Http1Rig rig;
  rig.Send("GET / HTTP/1.1\r\n");
  rig.Pass(seconds(5));
  rig.Send("Host: a\r\n");
  EXPECT_EQ(rig.Pass(seconds(5) - Duration(1)), "");
  EXPECT_THAT(rig.Pass(Duration(1)), StartsWith("HTTP/1.1 408"));
  EXPECT_TRUE(rig.session.finished());
}

TEST(Http1TimeTest, GivesUpOnASlowBody) {
  Http1Rig rig;
  rig.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n123");
  EXPECT_EQ(rig.Pass(seconds(30) - Duration(1)), "");
  EXPECT_THAT(rig.Pass(Duration(1)), StartsWith("HTTP/1.1 408"));
  EXPECT_TRUE(rig.session.finished());
}

TEST(Http1TimeTest, ClosesAnIdleConnectionWithoutAWord) {
  Http1Rig rig;
  rig.Pass(seconds(74));
  rig.Send(Get("/"));  // Being used counts anew.
  rig.Pass(seconds(74));
  EXPECT_FALSE(rig.session.finished());
  EXPECT_EQ(rig.Pass(seconds(1)), "");
  EXPECT_TRUE(rig.session.finished());
  EXPECT_EQ(rig.session.OnTime(), kNever);
}

TEST(Http1TimeTest, WaitsForItsOwnHandlerWithoutABound) {
  Http1Rig rig;
  rig.handler.when = When::kLater;
  rig.Send(Get("/"));
  rig.Pass(seconds(1000));
  EXPECT_FALSE(rig.session.finished());
  rig.handler.AnswerAll();
  rig.Pass(seconds(74));
  EXPECT_FALSE(rig.session.finished());
}

TEST(Http1TimeTest, GivesEveryHeadItsWholeTime) {
  Http1Rig rig;
  rig.Send("GET / HTTP/1.1\r\n");
  rig.Pass(seconds(9));
  rig.Send("Host: a\r\n\r\nGET / HTTP/1.1\r\n");
  EXPECT_EQ(rig.Pass(seconds(9)), "");
  EXPECT_THAT(rig.Pass(seconds(1)), StartsWith("HTTP/1.1 408"));
}

TEST(Http1TimeTest, IsNeverCalledTooLateForWhatBeginsMeanwhile) {
  Http1Rig rig;
  const Instant again = rig.session.OnTime();
  rig.transport.time.steady += seconds(1);
  rig.Send("GET");  // Its deadline is 11 s from the start.
  EXPECT_LE(again, rig.transport.time.steady + seconds(10));
}

}  // namespace
}  // namespace weir::net
