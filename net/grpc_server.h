#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "net/grpc_wire.h"
#include "net/http2_session.h"
#include "net/protocol.h"
#include "weir/base/clock.h"

namespace weir::net {

// One unary call, from the delivery of its message to its answer.
//
// The handler owes exactly one Reply() or Fail(), inline or later on the same loop, also after the
// call was cancelled; the object lives until then and no longer.  It outlives its stream and its
// connection if it must; what is answered then goes nowhere.
class GrpcCall {
 public:
  GrpcCall(const GrpcCall&) = delete;
  GrpcCall& operator=(const GrpcCall&) = delete;
  virtual ~GrpcCall() = default;

  virtual std::string_view path() const = 0;  // "/package.Service/Method"
  // When the client gives up (grpc-timeout); kNever if it did not say.  The server answers
  // DEADLINE_EXCEEDED then by itself, and cancels.
  virtual Instant deadline() const = 0;
  virtual const PeerInfo& peer() const = 0;
  // One of the few fields that are kept: traceparent, x-request-id, user-agent.
  virtual std::optional<std::string_view> header(std::string_view name) const = 0;

  // Sends `message` (copied) and status OK.
  virtual void Reply(std::span<const std::uint8_t> message) = 0;
  // Sends a status other than OK and a text for people, which may hold any bytes.
  virtual void Fail(GrpcStatus status, std::string_view text) = 0;

  // For the handler's use: its own state of this call.  Null at first.
  void* context = nullptr;

 protected:
  GrpcCall() = default;
};

// Serves unary methods.  All calls come from one loop.
class UnaryHandler {
 public:
  UnaryHandler() = default;
  UnaryHandler(const UnaryHandler&) = delete;
  UnaryHandler& operator=(const UnaryHandler&) = delete;
  virtual ~UnaryHandler() = default;

  // `message` is plain (decompressed) and stays valid until the OnBatchEnd() that follows, unless
  // the call is answered before.
  virtual void OnCall(GrpcCall& call, std::span<const std::uint8_t> message) = 0;
  // The client reset the call, or its deadline passed, or its connection broke.  An answer is still
  // owed, and may be given in here.  Not called for calls that were answered.
  virtual void OnCancel(GrpcCall& call) { static_cast<void>(call); }
  // Every message of one read was delivered: commit them together.  Answers given in here leave in
  // one send.
  virtual void OnBatchEnd() {}
};

// A streaming call, as its handler sees it: until the StreamReader is destroyed.
class GrpcStream {
 public:
  GrpcStream(const GrpcStream&) = delete;
  GrpcStream& operator=(const GrpcStream&) = delete;
  virtual ~GrpcStream() = default;

  virtual std::string_view path() const = 0;
  virtual const PeerInfo& peer() const = 0;

  // Queues a message (copied).  A peer that lets more than GrpcOptions::max_stream_output pile up
  // is failed with RESOURCE_EXHAUSTED.  Nothing happens after Finish().
  virtual void Send(std::span<const std::uint8_t> message) = 0;
  // Ends the call once what was queued has left.
  virtual void Finish(GrpcStatus status, std::string_view text) = 0;

 protected:
  GrpcStream() = default;
};

// One streaming call on the handler's side.  Destroyed when the stream is gone, for whatever
// reason; the GrpcStream must not be touched from then on.
class StreamReader {
 public:
  StreamReader() = default;
  StreamReader(const StreamReader&) = delete;
  StreamReader& operator=(const StreamReader&) = delete;
  virtual ~StreamReader() = default;

  virtual void OnMessage(std::span<const std::uint8_t> message) = 0;
  // The client will send no more.  The handler owes a Finish().
  virtual void OnHalfClose() = 0;
};

class StreamHandler {
 public:
  StreamHandler() = default;
  StreamHandler(const StreamHandler&) = delete;
  StreamHandler& operator=(const StreamHandler&) = delete;
  virtual ~StreamHandler() = default;

  virtual std::unique_ptr<StreamReader> OnOpen(GrpcStream& stream) = 0;
};

// Which handler serves which path.  Filled once, then read; one per loop, as its handlers are.
// Handlers must outlive the router and all its connections.
class GrpcRouter {
 public:
  struct Route {
    UnaryHandler* unary = nullptr;
    StreamHandler* stream = nullptr;
  };

  // `path` as in a request: "/package.Service/Method".
  void AddUnary(std::string path, UnaryHandler& handler);
  void AddStream(std::string path, StreamHandler& handler);

  // Null if nobody serves it.
  const Route* Find(std::string_view path) const;
  // Why Find() found nothing, naming the service or the method.
  std::string Missing(std::string_view path) const;

 private:
  std::map<std::string, Route, std::less<>> routes_;
};

struct GrpcOptions {
  Http2Options http2;
  std::size_t max_message = std::size_t{4} << 20;  // Larger requests: RESOURCE_EXHAUSTED.
  // Incomplete messages of one connection together; beyond: RESOURCE_EXHAUSTED.
  std::size_t max_buffered = std::size_t{64} << 20;
  std::size_t max_stream_output = std::size_t{4} << 20;
};

// Speaks gRPC with a new connection.  `router` and `options` must outlive the session.  `random`
// spreads Http2Options::max_age over its connections; without it the age is exact.
std::unique_ptr<Session> NewGrpcSession(Transport& transport, const GrpcRouter& router,
                                        const GrpcOptions& options,
                                        std::optional<std::uint64_t> random = std::nullopt);

}  // namespace weir::net
