#include "net/grpc_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "net/allocation_count.h"
#include "net/h2_client_for_test.h"

namespace weir::net {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

std::string Text(std::span<const std::uint8_t> bytes) {
  return {bytes.begin(), bytes.end()};
}
std::span<const std::uint8_t> Bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string Gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

// Answers at the end of the batch, or later.
class BatchHandler final : public UnaryHandler {
 public:
  void OnCall(GrpcCall& call, std::span<const std::uint8_t> message) override {
    events.push_back("call " + Text(message));
    waiting.emplace_back(&call, message);
  }
  void OnCancel(GrpcCall& call) override {
    events.push_back("cancel");
    if (fail_on_cancel) {
      std::erase_if(waiting, [&](const auto& each) { return each.first == &call; });
      call.Fail(GrpcStatus::kCancelled, "");
    }
  }
  void OnBatchEnd() override {
    events.push_back("end");
    if (later) return;
    for (const auto& [call, message] : waiting) call->Reply(message);
    waiting.clear();
  }

  bool later = false;
  bool fail_on_cancel = false;
  std::vector<std::string> events;
  std::vector<std::pair<GrpcCall*, std::span<const std::uint8_t>>> waiting;
};

class Shout final : public StreamHandler {
 public:
  std::unique_ptr<StreamReader> OnOpen(GrpcStream& stream) override {
    struct Reader final : StreamReader {
      explicit Reader(GrpcStream& s) : stream(s) {}
      void OnMessage(std::span<const std::uint8_t> message) override {
        stream.Send(Bytes(Text(message) + "!"));
      }
      void OnHalfClose() override { stream.Finish(GrpcStatus::kAborted, "50% done"); }
      GrpcStream& stream;
    };
    return std::make_unique<Reader>(stream);
  }
};

class GrpcServerTest : public testing::Test {
 protected:
  GrpcServerTest() {
    router_.AddUnary("/a.B/Call", handler_);
    router_.AddStream("/a.B/Shout", shout_);
  }
  void Start() { session_ = NewGrpcSession(transport_, router_, options_); }
  void Exchange() {
    if (!session_) Start();
    client_.Exchange(*session_);
  }
  // One call from beginning to end.
  H2Client::Response Run(std::string content, const H2Client::Fields& more = {},
                         std::string_view path = "/a.B/Call") {
    const auto stream = client_.Call(path, std::move(content), more);
    Exchange();
    return client_.responses[stream];
  }
  std::string StatusOf(std::string content, const H2Client::Fields& more = {},
                       std::string_view path = "/a.B/Call") {
    return Run(std::move(content), more, path).field("grpc-status");
  }

  BatchHandler handler_;
  Shout shout_;
  GrpcRouter router_;
  GrpcOptions options_;
  MemoryTransport transport_;
  std::unique_ptr<Session> session_;
  H2Client client_{transport_};
};

TEST_F(GrpcServerTest, AnswersWithHeadMessageAndTrailers) {
  const auto response = Run(Framed("hi"));
  EXPECT_EQ(response.content, Framed("hi"));
  EXPECT_THAT(response.fields, ElementsAre(std::pair(":status", "200"),
                                           std::pair("content-type", "application/grpc"),
                                           std::pair("grpc-status", "0")));
  EXPECT_EQ(response.error_code, 0U);
  EXPECT_EQ(Run(Framed("")).content, Framed(""));
}

TEST_F(GrpcServerTest, DeliversARead_sMessagesBeforeTheBatchEnds) {
  for (const char* text : {"1", "2", "3"}) client_.Call("/a.B/Call", Framed(text));
  Exchange();
  EXPECT_THAT(handler_.events, ElementsAre("call 1", "call 2", "call 3", "end"));
}

TEST_F(GrpcServerTest, PutsMessagesTogetherFromAnyPieces) {
  Start();
  const auto stream = client_.Call("/a.B/Call", Framed("in pieces"));
  for (const std::uint8_t byte : client_.Take()) session_->OnBytes({&byte, 1});
  Exchange();
  EXPECT_EQ(client_.responses[stream].content, Framed("in pieces"));
}

TEST_F(GrpcServerTest, RefusesWhatIsNotAGrpcCall) {
  const std::string body = "{}";
  const auto json = client_.Request({{":method", "POST"},
                                     {":scheme", "http"},
                                     {":path", "/a.B/Call"},
                                     {"content-type", "application/json"}},
                                    &body);
  const auto get = client_.Request({{":method", "GET"},
                                    {":scheme", "http"},
                                    {":path", "/a.B/Call"},
                                    {"content-type", "application/grpc"}},
                                   nullptr);
  const auto head =
      client_.Request({{":method", "HEAD"}, {":scheme", "http"}, {":path", "/"}}, nullptr);
  Exchange();
  EXPECT_EQ(client_.responses[json].field(":status"), "415");
  EXPECT_EQ(client_.responses[get].field(":status"), "405");
  EXPECT_EQ(client_.responses[head].field(":status"), "415");
  EXPECT_EQ(client_.responses[head].content, "");
}

TEST_F(GrpcServerTest, NamesWhatItDoesNotServe) {
  EXPECT_EQ(Run(Framed(""), {}, "/a.B/No").field("grpc-message"),
            "unknown method No for service a.B");
  EXPECT_EQ(Run(Framed(""), {}, "/a.C/No").field("grpc-message"), "unknown service a.C");
  EXPECT_EQ(StatusOf(Framed(""), {}, "/a.B/No"), "12");
  EXPECT_EQ(StatusOf(Framed(""), {}, "nonsense"), "12");
}

TEST_F(GrpcServerTest, FailsMalformedMessages) {
  EXPECT_EQ(StatusOf(Framed("x", 2)), "13") << "flag byte";
  EXPECT_EQ(StatusOf(Framed("x", 1)), "13") << "compressed without an encoding";
  EXPECT_EQ(StatusOf(Framed("x", 1), {{"grpc-encoding", "identity"}}), "13");
  EXPECT_EQ(StatusOf(Framed("xyz").substr(0, 6)), "13") << "truncated";
  EXPECT_EQ(StatusOf("\0\0"), "12") << "no message";
  EXPECT_EQ(StatusOf(""), "12") << "no message";
  EXPECT_EQ(StatusOf(Framed("x") + Framed("y")), "12") << "two messages";
  EXPECT_TRUE(handler_.events.empty());
}

TEST_F(GrpcServerTest, HoldsMessagesToTheirLimit) {
  options_.max_message = 1000;
  EXPECT_EQ(StatusOf(Framed(std::string(1000, 'x'))), "0");
  const auto response = Run(Framed(std::string(1001, 'x')));
  EXPECT_EQ(response.field("grpc-status"), "8");
  EXPECT_EQ(response.field("grpc-message"), "the message has 1001 bytes, the limit is 1000");
}

TEST_F(GrpcServerTest, HoldsAConnectionsIncompleteMessagesToTheirLimit) {
  options_.max_buffered = 100'000;
  EXPECT_EQ(StatusOf(Framed(std::string(90'000, 'x'))), "0");
  EXPECT_EQ(StatusOf(Framed(std::string(200'000, 'x'))), "8");
  EXPECT_EQ(StatusOf(Framed(std::string(90'000, 'x'))), "0") << "what was held is given back";
}

TEST_F(GrpcServerTest, Decompresses) {
  const H2Client::Fields gzip = {{"grpc-encoding", "gzip"}};
  EXPECT_EQ(Run(Framed(Gzip("packed"), 1), gzip).content, Framed("packed"));
  EXPECT_EQ(Run(Framed("plain"), gzip).content, Framed("plain"));
  EXPECT_EQ(StatusOf(Framed("not gzip", 1), gzip), "13");
  EXPECT_EQ(StatusOf(Framed(Gzip("packed").substr(0, 20), 1), gzip), "13");
  EXPECT_EQ(StatusOf(Framed(Gzip(std::string(5 << 20, 'x')), 1), gzip), "8") << "bomb";
  const auto response = Run(Framed("x"), {{"grpc-encoding", "snappy"}});
  EXPECT_EQ(response.field("grpc-status"), "12");
  EXPECT_EQ(response.field("grpc-accept-encoding"), "identity,gzip");
}

TEST_F(GrpcServerTest, RefusesMalformedAndExpiredTimeouts) {
  EXPECT_EQ(StatusOf(Framed("x"), {{"grpc-timeout", "10 m"}}), "13");
  EXPECT_EQ(StatusOf(Framed("x"), {{"grpc-timeout", "0m"}}), "4");
  EXPECT_EQ(StatusOf(Framed("x"), {{"grpc-timeout", "99999999H"}}), "0");
}

TEST_F(GrpcServerTest, EndsACallAtItsDeadlineAndCancelsIt) {
  handler_.later = true;
  const auto stream = client_.Call("/a.B/Call", Framed("x"), {{"grpc-timeout", "20m"}});
  Exchange();
  const Instant deadline = transport_.time.steady + milliseconds(20);
  EXPECT_EQ(handler_.waiting.at(0).first->deadline(), deadline);
  EXPECT_EQ(session_->OnTime(), deadline);
  transport_.time.steady = deadline;
  session_->OnTime();
  Exchange();
  EXPECT_EQ(client_.responses[stream].field("grpc-status"), "4");
  EXPECT_THAT(handler_.events, ElementsAre("call x", "end", "cancel"));
  handler_.waiting.at(0).first->Reply({});
  Exchange();
  EXPECT_EQ(client_.responses[stream].content, "");
}

TEST_F(GrpcServerTest, EndsACallWhoseMessageNeverComes) {
  const auto stream = client_.Head({{":method", "POST"},
                                    {":scheme", "http"},
                                    {":path", "/a.B/Call"},
                                    {"content-type", "application/grpc"},
                                    {"grpc-timeout", "1S"}});
  Exchange();
  transport_.time.steady += std::chrono::seconds(1);
  session_->OnTime();
  Exchange();
  EXPECT_EQ(client_.responses[stream].field("grpc-status"), "4");
  EXPECT_TRUE(client_.responses[stream].closed);
  EXPECT_EQ(client_.responses[stream].error_code, 0U);
}

TEST_F(GrpcServerTest, ALateAnswerToAResetCallGoesNowhere) {
  handler_.later = true;
  const auto stream = client_.Call("/a.B/Call", Framed("x"));
  Exchange();
  client_.Reset(stream);
  Exchange();
  EXPECT_THAT(handler_.events, ElementsAre("call x", "end", "cancel"));
  handler_.waiting.at(0).first->Reply({});
  handler_.waiting.clear();
  handler_.later = false;
  EXPECT_EQ(StatusOf(Framed("y")), "0");
}

TEST_F(GrpcServerTest, ACallMayBeAnsweredWhileItIsCancelled) {
  handler_.later = handler_.fail_on_cancel = true;
  const auto stream = client_.Call("/a.B/Call", Framed("x"));
  client_.Call("/a.B/Call", Framed("y"));
  Exchange();
  client_.Reset(stream);
  Exchange();
  EXPECT_EQ(handler_.waiting.size(), 1U);
  session_.reset();
  EXPECT_TRUE(handler_.waiting.empty());
}

TEST_F(GrpcServerTest, ACallOutlivesItsConnection) {
  handler_.later = true;
  client_.Call("/a.B/Call", Framed("x"));
  Exchange();
  session_.reset();
  EXPECT_THAT(handler_.events, ElementsAre("call x", "end", "cancel"));
  EXPECT_EQ(handler_.waiting.at(0).first->path(), "/a.B/Call");
  handler_.waiting.at(0).first->Reply(Bytes("late"));
}

TEST_F(GrpcServerTest, KeepsAFewFields) {
  handler_.later = true;
  client_.Call("/a.B/Call", Framed("x"), {{"traceparent", "00-1"}, {"x-other", "y"}});
  Exchange();
  GrpcCall& call = *handler_.waiting.at(0).first;
  EXPECT_EQ(call.header("traceparent"), "00-1");
  EXPECT_EQ(call.header("user-agent"), "grpc-test/1");
  EXPECT_EQ(call.header("x-request-id"), std::nullopt);
  EXPECT_EQ(call.header("x-other"), std::nullopt);
  EXPECT_EQ(call.peer().address, "192.0.2.1");
  call.Fail(GrpcStatus::kUnavailable, "100 \xE2\x82\xAC");
  Exchange();
  EXPECT_EQ(client_.responses.begin()->second.field("grpc-message"), "100 %E2%82%AC");
}

TEST_F(GrpcServerTest, Streams) {
  const auto response = Run(Framed("a") + Framed("b"), {}, "/a.B/Shout");
  EXPECT_EQ(response.content, Framed("a!") + Framed("b!"));
  EXPECT_EQ(response.field("grpc-status"), "10");
  EXPECT_EQ(response.field("grpc-message"), "50%25 done");
  EXPECT_EQ(StatusOf(Framed("a").substr(0, 3), {}, "/a.B/Shout"), "13");
}

TEST_F(GrpcServerTest, FailsAStreamWhoseClientDoesNotRead) {
  options_.max_stream_output = 100;
  Start();
  const nghttp2_settings_entry window = {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 0};
  nghttp2_submit_settings(client_.raw(), 0, &window, 1);
  Exchange();
  std::string content;
  for (int i = 0; i < 50; ++i) content += Framed("x");
  const auto stream = client_.Call("/a.B/Shout", content);
  Exchange();
  const nghttp2_settings_entry open = {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 65535};
  nghttp2_submit_settings(client_.raw(), 0, &open, 1);
  Exchange();
  EXPECT_EQ(client_.responses[stream].field("grpc-status"), "8");
}

TEST_F(GrpcServerTest, AUnaryCallInSteadyStateAllocatesNothing) {
  Start();
  auto& http2 = static_cast<Http2Session&>(*session_);
  const std::string path = "/a.B/Call";
  std::vector<std::vector<std::uint8_t>> reads;
  std::uint64_t hooks = 0;
  std::size_t news = 0;
  handler_.events.reserve(1000);
  const auto round = [&](bool count) {
    for (int i = 0; i < 8; ++i) client_.Call(path, Framed("0123456789"), {{"grpc-timeout", "20m"}});
    const auto bytes = client_.Take();
    handler_.events.clear();
    const auto hooks_before = http2.system_allocations();
    const auto news_before = AllocationCount();
    session_->OnBytes(bytes);
    if (count) {
      hooks += http2.system_allocations() - hooks_before;
      news += AllocationCount() - news_before;
    }
    Exchange();
  };
  for (int i = 0; i < 20; ++i) round(false);
  for (int i = 0; i < 20; ++i) round(true);
  EXPECT_EQ(hooks, 0U);
  // "call 0123456789" is at the edge of a string's own room: the handler's, not the server's.
  EXPECT_EQ(news, 0U);
}

}  // namespace
}  // namespace weir::net
