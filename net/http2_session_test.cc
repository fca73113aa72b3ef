#include "net/http2_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/grpc_server.h"
#include "net/h2_client_for_test.h"

namespace weir::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class EchoHandler final : public UnaryHandler {
 public:
  void OnCall(GrpcCall& call, std::span<const std::uint8_t> message) override {
    ++calls;
    call.Reply(message);
  }
  int calls = 0;
};

// Keeps calls open until told.
class HoldingHandler final : public UnaryHandler {
 public:
  void OnCall(GrpcCall& call, std::span<const std::uint8_t>) override { held.push_back(&call); }
  std::vector<GrpcCall*> held;
};

class Http2SessionTest : public testing::Test {
 protected:
  Http2SessionTest() {
    router_.AddUnary("/a.B/Echo", echo_);
    router_.AddUnary("/a.B/Hold", hold_);
  }
  void Start() { session_ = NewGrpcSession(transport_, router_, options_); }
  void Exchange() { client_.Exchange(*session_); }
  void After(Duration time) {
    transport_.time.steady += time;
    session_->OnTime();
    Exchange();
  }

  EchoHandler echo_;
  HoldingHandler hold_;
  GrpcRouter router_;
  GrpcOptions options_;
  MemoryTransport transport_;
  std::unique_ptr<Session> session_;
  H2Client client_{transport_};
};

TEST_F(Http2SessionTest, AnswersBadPrefaceWithGoawayAndFinishes) {
  Start();
  const std::string bad = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
  session_->OnBytes({reinterpret_cast<const std::uint8_t*>(bad.data()), bad.size()});
  EXPECT_TRUE(session_->finished());
  EXPECT_FALSE(transport_.out.empty());
}

TEST_F(Http2SessionTest, RefusesStreamsBeyondItsBound) {
  options_.http2.max_concurrent_streams = 2;
  Start();
  // The client believes in its own default until the server's SETTINGS arrive.
  std::vector<std::int32_t> streams;
  for (int i = 0; i < 3; ++i) streams.push_back(client_.Call("/a.B/Hold", Framed("x")));
  Exchange();
  EXPECT_EQ(hold_.held.size(), 2U);
  EXPECT_FALSE(client_.responses[streams[0]].closed);
  EXPECT_TRUE(client_.responses[streams[2]].closed);
  EXPECT_EQ(client_.responses[streams[2]].error_code, NGHTTP2_REFUSED_STREAM);
  for (GrpcCall* call : hold_.held) call->Reply({});
}

TEST_F(Http2SessionTest, AnswersAHeadThatIsTooLargeWith431) {
  Start();
  const auto stream =
      client_.Call("/a.B/Echo", Framed("x"), {{"x-large", std::string(17 * 1024, 'a')}});
  Exchange();
  EXPECT_EQ(client_.responses[stream].field(":status"), "431");
  EXPECT_EQ(echo_.calls, 0);
  EXPECT_FALSE(session_->finished());
}

TEST_F(Http2SessionTest, EndsAHeaderFloodWithEnhanceYourCalm) {
  options_.http2.max_header_list = 1024;
  Start();
  H2Client::Fields many;
  for (int i = 0; i < 100; ++i) many.emplace_back("x-" + std::to_string(i), std::string(50, 'a'));
  client_.Call("/a.B/Echo", Framed("x"), many);
  Exchange();
  EXPECT_THAT(client_.goaways, ElementsAre(NGHTTP2_ENHANCE_YOUR_CALM));
  EXPECT_TRUE(session_->finished());
}

TEST_F(Http2SessionTest, EndsAContinuationFloodWithEnhanceYourCalm) {
  Start();
  Exchange();
  std::vector<std::uint8_t> flood = {0, 0, 0, 1, 0, 0, 0, 0, 1};  // HEADERS, not the end of them.
  for (int i = 0; i < 20; ++i) {
    flood.insert(flood.end(), {0, 0, 0, 9, 0, 0, 0, 0, 1});  // CONTINUATION, without end.
  }
  session_->OnBytes(flood);
  client_.Give();
  EXPECT_THAT(client_.goaways, ElementsAre(NGHTTP2_ENHANCE_YOUR_CALM));
  EXPECT_TRUE(session_->finished());
}

TEST_F(Http2SessionTest, EndsRapidResetsWithEnhanceYourCalm) {
  options_.http2.reset_burst = 10;
  options_.http2.reset_per_second = 1;
  Start();
  Exchange();
  for (int i = 0; i < 10; ++i) {
    const auto stream = client_.Call("/a.B/Hold", Framed("x"));
    const auto head = client_.Take();
    client_.Reset(stream);
    session_->OnBytes(head);
    session_->OnBytes(client_.Take());
  }
  EXPECT_FALSE(session_->finished());
  const auto stream = client_.Call("/a.B/Hold", Framed("x"));
  session_->OnBytes(client_.Take());
  client_.Reset(stream);
  session_->OnBytes(client_.Take());
  client_.Give();
  EXPECT_THAT(client_.goaways, ElementsAre(NGHTTP2_ENHANCE_YOUR_CALM));
  EXPECT_TRUE(session_->finished());
  for (GrpcCall* call : hold_.held) call->Reply({});
}

TEST_F(Http2SessionTest, DoesNotTakeAClientsDeadlineForARapidReset) {
  options_.http2.reset_burst = 1;
  options_.http2.reset_per_second = 0;
  Start();
  Exchange();
  for (int i = 0; i < 20; ++i) {
    const auto stream = client_.Call("/a.B/Hold", Framed("x"));
    session_->OnBytes(client_.Take());
    transport_.time.steady += milliseconds(20);
    client_.Reset(stream);
    session_->OnBytes(client_.Take());
  }
  EXPECT_FALSE(session_->finished());
  for (GrpcCall* call : hold_.held) call->Reply({});
}

TEST_F(Http2SessionTest, EndsAPingFloodWithEnhanceYourCalm) {
  options_.http2.control_burst = 100;
  options_.http2.control_per_second = 1;
  Start();
  Exchange();
  for (int i = 0; i < 200; ++i) nghttp2_submit_ping(client_.raw(), 0, nullptr);
  Exchange();
  EXPECT_THAT(client_.goaways, ElementsAre(NGHTTP2_ENHANCE_YOUR_CALM));
}

TEST_F(Http2SessionTest, AnswersPings) {
  Start();
  Exchange();
  nghttp2_submit_ping(client_.raw(), 0, nullptr);
  session_->OnBytes(client_.Take());
  ASSERT_EQ(transport_.out.size(), 17U);
  EXPECT_EQ(transport_.out[3], NGHTTP2_PING);
  EXPECT_EQ(transport_.out[4], NGHTTP2_FLAG_ACK);
}

TEST_F(Http2SessionTest, DrainsWithTwoGoawaysAndFinishesWhatIsInFlight) {
  Start();
  const auto first = client_.Call("/a.B/Hold", Framed("x"));
  Exchange();
  session_->Drain();
  Exchange();
  EXPECT_THAT(client_.goaway_last_ids, ElementsAre(0x7fffffff, first));
  EXPECT_FALSE(session_->finished());
  hold_.held.at(0)->Reply({});
  Exchange();
  EXPECT_EQ(client_.responses[first].field("grpc-status"), "0");
  EXPECT_TRUE(session_->finished());
}

TEST_F(Http2SessionTest, ServesRequestsThatCrossTheFirstGoaway) {
  Start();
  Exchange();
  const auto crossing = client_.Call("/a.B/Echo", Framed("x"));
  session_->Drain();
  const auto bytes = client_.Take();
  session_->OnBytes(bytes);
  Exchange();
  EXPECT_EQ(client_.responses[crossing].field("grpc-status"), "0");
  EXPECT_TRUE(session_->finished());
}

TEST_F(Http2SessionTest, DrainsAPeerThatDoesNotAnswerPings) {
  Start();
  session_->Drain();
  session_->OnTime();
  EXPECT_FALSE(session_->finished());
  transport_.time.steady += Http2Options::kDrainNotice;
  session_->OnTime();
  EXPECT_TRUE(session_->finished());
}

TEST_F(Http2SessionTest, ClosesAfterItsAgeAndTheGrace) {
  options_.http2.max_age = seconds(60);
  options_.http2.max_age_grace = seconds(5);
  Start();
  const auto stream = client_.Call("/a.B/Hold", Framed("x"));
  Exchange();
  EXPECT_EQ(session_->OnTime(), transport_.time.steady + seconds(60));
  After(seconds(60));
  EXPECT_EQ(client_.goaways.size(), 2U);
  EXPECT_FALSE(client_.responses[stream].closed);
  EXPECT_FALSE(session_->finished());
  After(seconds(5));
  EXPECT_TRUE(session_->finished());
  hold_.held.at(0)->Reply({});
}

TEST_F(Http2SessionTest, ClosesAtItsOwnAge) {
  options_.http2.max_age = seconds(60);
  session_ = NewGrpcSession(transport_, router_, options_, 0);
  EXPECT_EQ(session_->OnTime(), transport_.time.steady + seconds(54));
}

TEST_F(Http2SessionTest, KeepaliveFindsAPeerThatIsGone) {
  options_.http2.keepalive_interval = seconds(10);
  options_.http2.keepalive_timeout = seconds(3);
  Start();
  Exchange();
  After(seconds(10));
  EXPECT_FALSE(session_->finished()) << "it answers";
  transport_.time.steady += seconds(10);
  session_->OnTime();
  transport_.time.steady += seconds(3);
  session_->OnTime();
  EXPECT_TRUE(session_->finished());
}

TEST_F(Http2SessionTest, ToleratesWhatWasSentBeforeItsResetWasSeen) {
  Start();
  Exchange();
  // Fails before the content is complete, so the stream is reset; more content is on its way.
  const auto stream = client_.Call("/a.B/Unknown", Framed(std::string(200'000, 'x')));
  const auto bytes = client_.Take();
  for (std::size_t at = 0; at < bytes.size(); at += 10'000) {
    session_->OnBytes(
        std::span(bytes).subspan(at, std::min<std::size_t>(10'000, bytes.size() - at)));
  }
  Exchange();
  EXPECT_EQ(client_.responses[stream].field("grpc-status"), "12");
  EXPECT_THAT(client_.goaways, IsEmpty());
}

TEST_F(Http2SessionTest, HoldsBackOutputFromAPeerThatDoesNotRead) {
  Start();
  Exchange();
  nghttp2_session_set_local_window_size(client_.raw(), 0, 0, 1 << 30);
  const nghttp2_settings_entry window = {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 1U << 30U};
  nghttp2_submit_settings(client_.raw(), 0, &window, 1);
  Exchange();
  for (int i = 0; i < 4; ++i) client_.Call("/a.B/Echo", Framed(std::string(1 << 20, 'x')));
  for (;;) {
    const auto bytes = client_.Take();
    if (bytes.empty()) break;
    session_->OnBytes(bytes);
    // The client sees window updates only: answers stay in the transport.
    if (transport_.out.size() >= kOutputBound) break;
    client_.Give();
  }
  EXPECT_LE(transport_.out.size(), kOutputBound + 64 * 1024);
  Exchange();
  int complete = 0;
  for (const auto& [id, response] : client_.responses) {
    complete += response.content.size() == (1U << 20U) + kGrpcPrefixSize ? 1 : 0;
  }
  EXPECT_EQ(complete, 4);
}

}  // namespace
}  // namespace weir::net
