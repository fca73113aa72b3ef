#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "weir/base/clock.h"
#include "weir/base/result.h"

namespace weir::cli {

// Why a server could not be asked, for people.
struct Unreachable {
  std::string message;
};

// A connection to a server that blocks, for verbs that ask one thing at a time.  Each wait has a
// limit.  Not thread-safe.
class ByteStream {
 public:
  // `where` is "host:port", "[::1]:port", ":port" on this machine, or "unix:PATH"; host names are
  // looked up.  No single wait takes longer than `timeout`.
  static Result<ByteStream, Unreachable> Connect(const std::string& where, Duration timeout);

  ByteStream(ByteStream&& other) noexcept;
  ByteStream& operator=(ByteStream&& other) noexcept;
  ~ByteStream();

  // An empty text, or what went wrong.
  std::string Write(std::span<const std::uint8_t> bytes);
  std::string Write(std::string_view text);

  // Reads at least one byte; 0 once the server has closed.
  Result<std::size_t, Unreachable> Read(std::span<std::uint8_t> into);

 private:
  ByteStream(int fd, std::string where, Duration timeout)
      : fd_(fd), where_(std::move(where)), timeout_(timeout) {}

  std::string Wait(short events) const;

  int fd_;
  std::string where_;
  Duration timeout_;
};

}  // namespace weir::cli
