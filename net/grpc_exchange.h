#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/grpc_server.h"
#include "net/http2_session.h"

namespace weir::net {

class GrpcApplication;

// One gRPC call on one HTTP/2 stream, unary or streaming; pooled by its connection.
//
// A unary call has two owners: its stream, and from delivery to answer its handler.  It goes back
// to the pool when both have let go.
class GrpcExchange final : public Http2Exchange, public GrpcCall, public GrpcStream {
 public:
  explicit GrpcExchange(GrpcApplication& application);
  ~GrpcExchange() override;

  void Begin(Http2Session& session, std::size_t place);
  std::size_t place() const { return place_; }
  void set_place(std::size_t place) { place_ = place; }

  // Copies what is a view into the read that ends now.
  void KeepBorrowed();
  // Whether somebody still waits, so that the deadline matters.
  bool pending() const { return stream_open_ && !answered_; }
  void OnDeadline();
  // The connection is gone.  Deletes this, now or when the handler has given the answer it owes.
  void Abandon();

  std::string_view path() const override { return path_; }
  Instant deadline() const override { return deadline_; }
  const PeerInfo& peer() const override;
  std::optional<std::string_view> header(std::string_view name) const override;
  void Reply(std::span<const std::uint8_t> message) override;
  void Fail(GrpcStatus status, std::string_view text) override;

  void Send(std::span<const std::uint8_t> message) override;
  void Finish(GrpcStatus status, std::string_view text) override;

 protected:
  void OnField(FieldName field, std::string_view name, std::string_view value) override;
  void OnHead(bool too_large) override;
  void OnContent(std::span<const std::uint8_t> piece, bool last) override;
  void OnRequestEnd() override;
  void OnStreamClosed(std::uint32_t error_code) override;
  Fill FillContent(std::span<std::uint8_t> out) override;
  std::span<const nghttp2_nv> Trailers() override;

 private:
  enum class Encoding : std::uint8_t { kIdentity, kGzip, kUnsupported };
  // What a message at the front of `bytes` needs next.
  enum class Parse : std::uint8_t { kMore, kWhole, kFailed };

  void CheckCall();
  void Open();
  Parse ParseMessage(std::span<const std::uint8_t> bytes);
  bool Decode(std::span<const std::uint8_t> bytes, std::span<const std::uint8_t>& message);
  void DeliverUnary();
  void DeliverStream();
  bool Keep(std::span<const std::uint8_t> piece);
  void DropBody();

  void AnswerOk();
  // Ends the call from the server's side: Trailers-Only if nothing was sent.
  void End(GrpcStatus status, std::string_view text);
  void AnswerPlain(std::string_view status, std::string_view text);
  void LetGo();

  GrpcApplication* application_;  // Null: the connection is gone.
  Http2Session* session_ = nullptr;
  std::size_t place_ = 0;

  // The request.
  std::string path_;
  std::string user_agent_;
  std::string traceparent_;
  std::string request_id_;
  Instant deadline_ = kNever;
  bool post_ = false;
  bool head_method_ = false;
  bool grpc_ = false;
  bool bad_timeout_ = false;
  Encoding encoding_ = Encoding::kIdentity;
  const GrpcRouter::Route* route_ = nullptr;
  std::span<const std::uint8_t> view_;  // The whole content, in this read's buffer.
  std::vector<std::uint8_t> body_;      // Otherwise.
  std::vector<std::uint8_t> inflated_;

  // Where it stands.
  bool stream_open_ = false;
  bool handler_owes_ = false;  // Delivered, and not answered by the handler.
  bool answered_ = false;      // The end of the answer is decided.
  bool head_sent_ = false;
  bool deferred_ = false;  // nghttp2 waits for ContinueContent().
  bool plain_ = false;     // Not a gRPC answer: no trailers.

  // The answer.
  std::vector<std::uint8_t> out_;
  std::size_t sent_ = 0;
  GrpcStatus status_ = GrpcStatus::kOk;
  std::string message_;
  nghttp2_nv trailers_[2] = {};
  std::unique_ptr<StreamReader> reader_;
};

}  // namespace weir::net
