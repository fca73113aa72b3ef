#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "cli/byte_stream.h"
#include "net/grpc_wire.h"

struct nghttp2_session;

namespace weir::cli {

// What came back of a call that reached a gRPC server.
struct GrpcAnswer {
  net::GrpcStatus status = net::GrpcStatus::kOk;
  std::string text;     // grpc-message, decoded.
  std::string message;  // The answer itself; empty unless the status is OK.
};

// "OK", "UNIMPLEMENTED", ...
std::string_view NameOf(net::GrpcStatus status);

// Unary gRPC calls, one at a time, over one HTTP/2 connection without TLS.  Not thread-safe.
class GrpcClient {
 public:
  // Larger answers are refused.
  static constexpr std::size_t kMostAnswer = std::size_t{4} << 20;

  // As ByteStream::Connect(); `timeout` is also what a call asks of the server.
  static Result<std::unique_ptr<GrpcClient>, Unreachable> Connect(const std::string& where,
                                                                  Duration timeout);
  GrpcClient(const GrpcClient&) = delete;
  GrpcClient& operator=(const GrpcClient&) = delete;
  ~GrpcClient();

  // `path` is "/package.Service/Method".  Fails if the connection broke, the time ran out, or who
  // answers does not speak gRPC; do not call again then.
  Result<GrpcAnswer, Unreachable> Call(std::string_view path, std::string_view message);

 private:
  class Exchange;

  GrpcClient(ByteStream stream, std::string where, Duration timeout);

  std::string Flush();
  std::string Transfer(Exchange& exchange);

  ByteStream stream_;
  const std::string where_;
  const std::string timeout_field_;
  nghttp2_session* session_ = nullptr;
  Exchange* exchange_ = nullptr;  // The call under way.
};

}  // namespace weir::cli
