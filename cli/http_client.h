#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/byte_stream.h"

namespace weir::cli {

// "http://127.0.0.1:8080/v1/check" taken apart.
struct HttpUrl {
  std::string address;  // "127.0.0.1:8080": with port 80 if none is written.
  std::string path;     // With its `/`; empty if none is written.
};
Result<HttpUrl, Unreachable> ParseHttpUrl(std::string_view text);

struct HttpAnswer {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> fields;  // Names in lower case.
  std::string body;

  // The first of that name, or empty.
  std::string_view field(std::string_view name) const;
};

// HTTP/1.1 requests, one at a time, over one connection without TLS.  Reads answers with
// Content-Length, or up to the end of the connection; no chunks.  Not thread-safe.
class HttpClient {
 public:
  // Larger answers are refused, head and body each.
  static constexpr std::size_t kMostAnswer = std::size_t{1} << 20;

  static Result<HttpClient, Unreachable> Connect(const std::string& address, Duration timeout);

  // Do not send again after a failure, or once the server said `connection: close`.
  Result<HttpAnswer, Unreachable> Send(std::string_view method, std::string_view path,
                                       std::string_view body);

 private:
  HttpClient(ByteStream stream, std::string address)
      : stream_(std::move(stream)), address_(std::move(address)) {}

  // Reads on; false at the end of the connection.
  Result<bool, Unreachable> ReadMore();

  ByteStream stream_;
  std::string address_;
  std::string received_;
};

}  // namespace weir::cli
