#include "net/grpc_wire.h"

#include <algorithm>
#include <limits>

#include <zlib.h>

namespace weir::net {

namespace {

std::optional<std::int64_t> NanosecondsOf(char unit) {
  switch (unit) {
    case 'H':
      return 3'600'000'000'000;
    case 'M':
      return 60'000'000'000;
    case 'S':
      return 1'000'000'000;
    case 'm':
      return 1'000'000;
    case 'u':
      return 1'000;
    case 'n':
      return 1;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Duration> ParseGrpcTimeout(std::string_view text) {
  constexpr std::size_t kMostDigits = 8;
  if (text.size() < 2 || text.size() > kMostDigits + 1) return std::nullopt;
  const auto unit = NanosecondsOf(text.back());
  if (!unit) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text.substr(0, text.size() - 1)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  if (value > std::numeric_limits<std::int64_t>::max() / *unit) return Duration::max();
  return Duration(value * *unit);
}

std::string PercentEncode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte <= 0x7E && c != '%') {
      out += c;
    } else {
      out += '%';
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    }
  }
  return out;
}

bool IsGrpcContentType(std::string_view content_type) {
  constexpr std::string_view kGrpc = "application/grpc";
  if (!content_type.starts_with(kGrpc)) return false;
  return content_type.size() == kGrpc.size() || content_type[kGrpc.size()] == '+' ||
         content_type[kGrpc.size()] == ';';
}

GrpcPrefix ReadGrpcPrefix(std::span<const std::uint8_t> bytes) {
  return {bytes[0], (std::uint32_t{bytes[1]} << 24U) | (std::uint32_t{bytes[2]} << 16U) |
                        (std::uint32_t{bytes[3]} << 8U) | std::uint32_t{bytes[4]}};
}

void AppendGrpcMessage(std::vector<std::uint8_t>& out, std::span<const std::uint8_t> message) {
  const auto length = static_cast<std::uint32_t>(message.size());
  const std::array<std::uint8_t, kGrpcPrefixSize> prefix = {
      0, static_cast<std::uint8_t>(length >> 24U), static_cast<std::uint8_t>(length >> 16U),
      static_cast<std::uint8_t>(length >> 8U), static_cast<std::uint8_t>(length)};
  out.insert(out.end(), prefix.begin(), prefix.end());
  out.insert(out.end(), message.begin(), message.end());
}

InflateResult InflateGzip(std::span<const std::uint8_t> gzip, std::size_t limit,
                          std::vector<std::uint8_t>& out) {
  constexpr int kGzipOnly = 15 + 16;
  z_stream stream{};
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) return InflateResult::kCorrupt;
  // zlib does not write through next_in.
  stream.next_in = const_cast<Bytef*>(gzip.data());
  stream.avail_in = static_cast<uInt>(gzip.size());
  out.clear();
  std::array<std::uint8_t, 16384> chunk;  // NOLINT: filled by zlib
  int result = Z_OK;
  while (result == Z_OK && out.size() <= limit) {
    const std::size_t room = std::min(chunk.size(), limit + 1 - out.size());
    stream.next_out = chunk.data();
    stream.avail_out = static_cast<uInt>(room);
    result = inflate(&stream, Z_NO_FLUSH);
    out.insert(out.end(), chunk.data(), chunk.data() + (room - stream.avail_out));
  }
  const bool whole = result == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  if (out.size() > limit) return InflateResult::kTooLarge;
  return whole ? InflateResult::kOk : InflateResult::kCorrupt;
}

}  // namespace weir::net
