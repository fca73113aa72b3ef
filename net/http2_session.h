#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <nghttp2/nghttp2.h>

#include "net/http2_frame_scan.h"
#include "net/http2_head.h"
#include "net/http2_memory.h"
#include "net/session.h"
#include "net/token_bucket.h"
#include "weir/base/clock.h"

namespace weir::net {

// Bounds of one HTTP/2 connection.  A peer that breaks one of the rates is sent away with GOAWAY
// ENHANCE_YOUR_CALM.
struct Http2Options {
  std::uint32_t max_concurrent_streams = 1000;  // More are refused with REFUSED_STREAM.
  std::int32_t stream_window = 1 << 20;         // Bytes; at most 2^31 - 1.
  std::int32_t connection_window = 64 << 20;    // Bytes; at least 65,535.
  // Sum of name + value + 32 over the fields of a request (RFC 9113 section 6.5.2).  Beyond it the
  // request gets 431; beyond four times as much, or over eight CONTINUATION frames, it is a flood.
  std::size_t max_header_list = std::size_t{16} * 1024;
  // Streams that end in a reset within kPatience of their start ("rapid reset").
  std::uint64_t reset_burst = 1000;
  std::uint64_t reset_per_second = 33;
  // PING, SETTINGS and PRIORITY frames, and DATA frames without data.
  std::uint64_t control_burst = 10'000;
  std::uint64_t control_per_second = 1000;
  // PING a peer that was silent for so long, and close if no answer comes; zero: never.
  Duration keepalive_interval{0};
  Duration keepalive_timeout = std::chrono::seconds(20);
  // Drain a connection at about this age (see connection_age.h), and close it this long after that
  // whatever is in flight; zero: never, and wait for ever.
  Duration max_age{0};
  Duration max_age_grace{0};

  // A reset after so long is a client's deadline, not an attack: it does not count as rapid.
  static constexpr Duration kPatience = std::chrono::milliseconds(5);
  // From the first GOAWAY of a drain to the final one, if the peer does not answer a PING sooner.
  static constexpr Duration kDrainNotice = std::chrono::seconds(1);
};

class Http2Session;

// One request and its answer.  The application derives from it, makes it for a new stream, and owns
// it again after OnStreamClosed().
class Http2Exchange {
 public:
  Http2Exchange(const Http2Exchange&) = delete;
  Http2Exchange& operator=(const Http2Exchange&) = delete;
  virtual ~Http2Exchange() = default;

 protected:
  Http2Exchange() = default;

  struct Fill {
    std::size_t bytes = 0;
    bool last = false;  // Nothing follows but trailers.
  };

  // A field of the request's head, already checked.  The views end with the call.
  virtual void OnField(FieldName field, std::string_view name, std::string_view value) = 0;
  // The head is complete.  `too_large`: fields are missing, because they exceed the bound.
  virtual void OnHead(bool too_large) = 0;
  // A piece of the content; the view lives until OnReadEnd().  `last`: no frame follows, though
  // more of this frame may.
  virtual void OnContent(std::span<const std::uint8_t> piece, bool last) = 0;
  // The request is complete and well-formed.
  virtual void OnRequestEnd() = 0;
  // The stream is gone: finished, reset by either side.  The session forgets this exchange.
  virtual void OnStreamClosed(std::uint32_t error_code) = 0;

  // The answer's content, as the peer's window allows.  No bytes and not last: nothing yet; call
  // Http2Session::ContinueContent() later.
  virtual Fill FillContent(std::span<std::uint8_t> out) = 0;
  // Asked when FillContent() said `last`; empty: no trailers.  Must live until the next call.
  virtual std::span<const nghttp2_nv> Trailers() = 0;

 private:
  friend class Http2Session;
  std::int32_t stream_id_ = 0;
  Instant begun_{};
  bool request_ended_ = false;
  bool reset_after_answer_ = false;
  Http2HeadCheck check_;
  std::size_t header_list_ = 0;
};

// What is served on a session.
class Http2Application {
 public:
  Http2Application() = default;
  Http2Application(const Http2Application&) = delete;
  Http2Application& operator=(const Http2Application&) = delete;
  virtual ~Http2Application() = default;

  virtual Http2Exchange& NewExchange(Http2Session& session) = 0;
  // All of one read was delivered.
  virtual void OnReadEnd() = 0;
  // Like Session::OnTime().
  virtual Instant OnTime() = 0;
};

// The server's side of an HTTP/2 connection (RFC 9113), on nghttp2.
//
// nghttp2 speaks the protocol; the rules for HTTP messages are checked here (Http2HeadCheck),
// because its own check costs more than the rest of a small request.
class Http2Session final : public Session {
 public:
  // Sends SETTINGS with the first output.  `transport` and `options` must outlive the session.
  // `max_age` is this connection's own, in the place of the options'.
  Http2Session(Transport& transport, const Http2Options& options, Duration max_age,
               std::unique_ptr<Http2Application> application);
  ~Http2Session() override;

  void OnBytes(std::span<const std::uint8_t> bytes) override;
  void OnPeerClosed() override;
  Instant OnTime() override;
  void OnWritable() override { Pump(); }
  void Drain() override;
  bool finished() const override;

  // For the application.  What they queue leaves at the end of the read or of the turn.
  //
  // Answers a request, once.  With content, FillContent() is asked for it.  An answer to a request
  // that is not complete is followed by RST_STREAM NO_ERROR (RFC 9113 section 8.1).
  // Fields flagged NO_COPY must live for ever, or until the stream is closed.
  void Answer(Http2Exchange& exchange, std::span<const nghttp2_nv> head, bool with_content);
  void ContinueContent(Http2Exchange& exchange);
  void Reset(Http2Exchange& exchange, std::uint32_t error_code);

  Transport& transport() { return transport_; }
  // Requests in flight.
  std::size_t active() const { return active_; }
  std::uint64_t system_allocations() const { return memory_.system_allocations(); }

 private:
  struct Callbacks;
  static constexpr std::size_t kRememberedResets = 1024;

  void Attach();
  Http2Exchange* ExchangeOf(std::int32_t stream_id);
  void OnBeginFrame(const nghttp2_frame_hd& head);
  void FindDataOnClosedStreams(std::span<const std::uint8_t> bytes);
  bool WasResetByUs(std::int32_t stream_id) const;
  int OnBeginHeaders(const nghttp2_frame& frame);
  int OnField(const nghttp2_frame& frame, std::string_view name, std::string_view value);
  int OnFrame(const nghttp2_frame& frame);
  void OnHeadersFrame(const nghttp2_frame& frame, Http2Exchange& exchange);
  void OnRequestEnd(Http2Exchange& exchange);
  void OnPingAck(const nghttp2_ping& ping);
  int OnContent(std::uint8_t flags, std::int32_t stream_id, std::span<const std::uint8_t> piece);
  int OnStreamClosed(std::int32_t stream_id, std::uint32_t error_code);
  void OnSent(const nghttp2_frame& frame);
  ssize_t FillContent(std::int32_t stream_id, std::span<std::uint8_t> out, std::uint32_t& flags);

  void CountControl();
  void SendAway(std::uint32_t error_code = NGHTTP2_ENHANCE_YOUR_CALM);
  void SendAwayAfter(int error);
  void SendFinalGoaway();
  Instant Keepalive(Instant now);
  Instant Age(Instant now);
  void Pump();
  void PumpSoon();

  Transport& transport_;
  const Http2Options& options_;
  Http2Memory memory_;
  std::unique_ptr<Http2Application> application_;
  nghttp2_session* session_ = nullptr;

  // Of the last stream looked up: callbacks for one stream come in runs.
  std::int32_t last_id_ = 0;
  Http2Exchange* last_exchange_ = nullptr;

  // The highest stream the peer has opened, and the streams we reset last: what the peer sent
  // before it knew is no error of his (RFC 9113 section 5.1, "closed").
  std::int32_t last_opened_ = 0;
  Http2FrameScan scan_;
  std::vector<std::int32_t> accepted_;     // Streams of the DATA frames of this read, in order.
  std::vector<std::int32_t> reset_by_us_;  // A ring of at most kRememberedResets.
  std::size_t next_reset_ = 0;

  TokenBucket resets_;
  TokenBucket controls_;
  std::size_t active_ = 0;
  std::size_t early_answers_ = 0;  // Exchanges with reset_after_answer_.
  bool in_read_ = false;
  bool pumping_ = false;
  bool failed_ = false;
  bool draining_ = false;
  bool final_goaway_ = false;
  bool sent_away_ = false;
  bool ping_pending_ = false;

  Instant born_;
  Duration max_age_;
  Instant last_read_;
  Instant drain_deadline_ = kNever;
  Instant ping_deadline_ = kNever;
};

}  // namespace weir::net
