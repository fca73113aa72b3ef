#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"
#include "net/http1_chunks.h"
#include "net/http1_head.h"
#include "net/http1_parser.h"
#include "net/http1_writer.h"
#include "net/session.h"

namespace weir::net {

// Bounds of one HTTP/1.1 connection.  Beyond a bound the request gets the status named here and the
// connection closes after it.
struct Http1Options {
  std::size_t max_head = 16 * 1024;   // Request line and headers, bytes.  431
  std::size_t max_headers = 100;      // Header lines.  431
  std::size_t max_target = 8 * 1024;  // Bytes.  414
  std::size_t max_body = 1 << 20;     // Bytes, transfer coding removed.  413
  // Requests given to the handler and not answered.  At the bound the connection is paused(); what
  // was already read waits, at most one read of it.
  std::size_t max_in_hand = 64;
  Duration head_timeout = std::chrono::seconds(10);  // First byte to end of head.  408
  Duration body_timeout = std::chrono::seconds(30);  // End of head to end of body.  408
  Duration idle_timeout =
      std::chrono::seconds(75);  // Nothing in hand, nothing begun.  Just closes.
};

// The server side of one HTTP/1.1 (or 1.0) connection: RFC 9112.  Every request must first pass
// CheckHead(), whose refusals close the connection.  Answers are written in the order of the
// requests.  In steady state a keep-alive connection allocates nothing per request.
//
// `Expect: 100-continue` is answered when the request's turn has come and its body is still to be
// sent.  Trailers are dropped.  Upgrade is ignored.  A peer that closes its sending side still gets
// every answer it is owed.
class Http1Session final : public Session {
 public:
  // All three must outlive the session.  `transport` must know now().
  Http1Session(Transport& transport, HttpHandler& handler, const Http1Options& options);
  // Cancels what is in hand.
  ~Http1Session() override;

  void OnBytes(std::span<const std::uint8_t> bytes) override;
  void OnPeerClosed() override;
  Instant OnTime() override;
  void Drain() override;
  bool paused() const override { return held_ || in_hand_ >= options_.max_in_hand; }
  bool finished() const override { return finished_; }

  // Answers are put aside, and no further request is taken, while this many bytes wait for a peer
  // that does not read them.
  static constexpr std::size_t kMaxUnsent = 256 * 1024;
  // How often OnTime() asks to look again whether such a peer has read something.
  static constexpr Duration kUnsentPoll = std::chrono::milliseconds(20);
  // A refusal that leaves input unread keeps the connection this long, discarding, so that closing
  // it does not destroy the refusal on its way (RFC 9112 section 9.6).
  static constexpr Duration kLinger = std::chrono::seconds(1);

 private:
  class Exchange final : public HttpExchange {
   public:
    explicit Exchange(Http1Session& session) : session_(session) {}
    void Reply(const HttpResponse& response) override { session_.Answer(*this, response); }

    Exchange* next = nullptr;  // In the queue or in the free list.
    bool answered = false;     // Answered before its turn; the answer is in `ready`.
    bool close = false;
    bool keep_alive = false;
    bool head_only = false;
    std::string ready;

   private:
    Http1Session& session_;
  };

  enum class Reading : std::uint8_t { kHead, kBody, kChunks };

  // Taking input.  Each returns how many bytes it used.
  std::size_t Take(std::string_view data);
  std::size_t TakeUntilHeld(std::string_view data);
  std::size_t TakeHead(std::string_view data, bool* stuck);
  std::size_t TakeBody(std::string_view data, bool* stuck);
  std::size_t TakeChunks(std::string_view data, bool* stuck);
  void BeginBody(std::string_view head, const HeadVerdict& verdict);
  void Resume();

  void Dispatch(std::string_view body);
  void Refuse(int status, std::string_view reason);
  Exchange& Push();

  // Giving answers.
  void Answer(Exchange& exchange, const HttpResponse& response);
  void Pop();
  void Flush();
  void Settle();
  void Recycle(Exchange* exchange);

  // True when no further request may be taken for now.
  bool Full() const;
  bool PartlyReceived() const;
  void UpdateDeadline();

  Transport& transport_;
  HttpHandler& handler_;
  const Http1Options& options_;

  std::string input_;  // Bytes not used yet: an incomplete head or held requests.
  HeadScanner scanner_;
  RequestHead head_;
  std::string head_bytes_;  // Keeps what head_ looks at while a body is incomplete.
  std::string body_;
  std::uint64_t body_length_ = 0;
  ChunkDecoder chunks_;

  Exchange* front_ = nullptr;
  Exchange* back_ = nullptr;
  Exchange* free_ = nullptr;
  std::vector<std::unique_ptr<Exchange>> exchanges_;
  std::size_t in_hand_ = 0;

  std::string out_;
  DateText date_;

  Instant deadline_ = kNever;
  Reading reading_ = Reading::kHead;
  enum class Waiting : std::uint8_t { kStart, kIdle, kHead, kBody, kAnswer, kLinger };
  Waiting waiting_ = Waiting::kStart;
  bool inside_ = false;        // In OnBytes() or OnTime(): output leaves at its end.
  bool batch_open_ = false;    // OnRequest() was called since the last OnBatchEnd().
  bool held_ = false;          // Complete input waits in input_ until there is room.
  bool crlf_skipped_ = false;  // The one empty line allowed before a request was seen.
  bool continue_due_ = false;  // 100 is owed once the answers before it have left.
  bool input_done_ = false;    // No further request will be taken.
  bool linger_ = false;
  bool peer_closed_ = false;
  bool draining_ = false;
  bool finished_ = false;
};

}  // namespace weir::net
