#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/clock.h"

namespace weir::net {

// Codes of google.rpc.Code, as `grpc-status` carries them.
enum class GrpcStatus : std::uint8_t {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

// The value of `grpc-timeout`: 1 to 8 digits and a unit, one of H M S m u n.  Nothing if it is
// anything else.  "0m" is zero: expired on arrival.  Source: gRPC over HTTP/2, "Timeout".
std::optional<Duration> ParseGrpcTimeout(std::string_view text);

// A text as `grpc-message` carries it: every byte outside of 0x20 to 0x7E, and '%', becomes %XX.
std::string PercentEncode(std::string_view text);

// Whether a content-type is gRPC's: "application/grpc", alone or followed by '+' or ';'.
bool IsGrpcContentType(std::string_view content_type);

// What stands before every message: a flag (1: compressed) and the length, big-endian.
inline constexpr std::size_t kGrpcPrefixSize = 5;
struct GrpcPrefix {
  std::uint8_t flag = 0;
  std::uint32_t length = 0;
};
// REQUIRES: bytes.size() >= kGrpcPrefixSize
GrpcPrefix ReadGrpcPrefix(std::span<const std::uint8_t> bytes);
// Appends an uncompressed message with its prefix.  REQUIRES: message.size() < 2^32
void AppendGrpcMessage(std::vector<std::uint8_t>& out, std::span<const std::uint8_t> message);

// Decompresses a gzip member (RFC 1952) into `out`.  Gives up as soon as the result exceeds
// `limit`, so that a small message cannot become a large one.
enum class InflateResult : std::uint8_t { kOk, kCorrupt, kTooLarge };
InflateResult InflateGzip(std::span<const std::uint8_t> gzip, std::size_t limit,
                          std::vector<std::uint8_t>& out);

}  // namespace weir::net
