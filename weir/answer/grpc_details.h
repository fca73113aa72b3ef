#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "weir/base/clock.h"

namespace weir {

// The value of gRPC's `grpc-status-details-bin` for a refusal: base64, without padding, of a
// google.rpc.Status whose one detail is a google.rpc.RetryInfo.  Reuse one per loop.
class GrpcRetryDetails {
 public:
  // Longer messages are cut at this many bytes, between two characters.
  static constexpr std::size_t kLongestMessage = 256;

  GrpcRetryDetails() = default;
  GrpcRetryDetails(const GrpcRetryDetails&) = delete;
  GrpcRetryDetails& operator=(const GrpcRetryDetails&) = delete;

  // `code` is the call's grpc-status and `message` its grpc-message before percent-encoding.  A
  // negative `retry` counts as zero; kNeverFits leaves the RetryInfo out.  Both results are valid
  // until the next call.
  std::string_view Write(std::uint32_t code, std::string_view message, Duration retry);

  // The Status of the last Write() in protobuf, as it was before base64.
  std::string_view bytes() const { return {bytes_.data(), size_}; }

 private:
  static constexpr std::size_t kMostBytes = kLongestMessage + 128;

  std::array<char, kMostBytes> bytes_;
  std::size_t size_ = 0;
  std::array<char, (kMostBytes + 2) / 3 * 4> text_;
};

// `grpc-retry-pushback-ms`: whole milliseconds, rounded up.  -1, which asks for no retry at all,
// for kNeverFits.
std::int64_t RetryPushbackMillis(Duration retry);

}  // namespace weir
