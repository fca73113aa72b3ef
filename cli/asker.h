#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/byte_stream.h"
#include "weir/core/descriptor.h"

namespace weir::cli {

// A server's answer to one check, as far as `weir hit` shows it.
struct Heard {
  enum class Kind : std::uint8_t { kOk, kOver, kRefused };

  Kind kind = Kind::kOk;
  std::string word;    // "OK", "OVER_LIMIT", "200", "429", "INVALID_ARGUMENT".
  std::string detail;  // Of the limit, or why it was refused; may be empty.
  std::vector<std::pair<std::string, std::string>> headers;  // For the client of the route.
};

// Asks one server the same question again and again.
class Asker {
 public:
  Asker() = default;
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;
  virtual ~Asker() = default;
  virtual Result<Heard, Unreachable> Ask() = 0;
};

using AskerOrReason = Result<std::unique_ptr<Asker>, Unreachable>;

// Over gRPC: RateLimitService.ShouldRateLimit at "host:port".  The request is copied.
AskerOrReason NewGrpcAsker(const std::string& where, const Request& request, Duration timeout);

// Over HTTP: POST /v1/check, or the path of the URL if it has one.
AskerOrReason NewHttpAsker(const std::string& url, const Request& request, Duration timeout);

// The body of POST /v1/check for `request`.
std::string CheckBody(const Request& request);

}  // namespace weir::cli
