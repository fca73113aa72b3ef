#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace weir::net {

// Follows the frame boundaries of what a client sends (RFC 9113 section 4.1), to know about frames
// that nghttp2 drops without a word.
class Http2FrameScan {
 public:
  // Calls `on_data(stream_id)` for each DATA frame whose head is complete with these bytes.
  template <typename OnData>
  void Scan(std::span<const std::uint8_t> bytes, OnData on_data) {
    while (!bytes.empty()) {
      if (skip_ > 0) {
        const std::size_t skipped = skip_ < bytes.size() ? skip_ : bytes.size();
        skip_ -= skipped;
        bytes = bytes.subspan(skipped);
        continue;
      }
      const std::uint8_t* head = bytes.data();
      if (got_ > 0 || bytes.size() < kHeadSize) {
        const std::size_t missing = kHeadSize - got_;
        const std::size_t taken = missing < bytes.size() ? missing : bytes.size();
        std::memcpy(head_ + got_, bytes.data(), taken);
        got_ += taken;
        bytes = bytes.subspan(taken);
        if (got_ < kHeadSize) return;
        got_ = 0;
        head = head_;
      } else {
        bytes = bytes.subspan(kHeadSize);
      }
      skip_ = (std::size_t{head[0]} << 16U) | (std::size_t{head[1]} << 8U) | head[2];
      if (head[3] == kData) {
        const std::uint32_t stream_id = (std::uint32_t{head[5]} << 24U) |
                                        (std::uint32_t{head[6]} << 16U) |
                                        (std::uint32_t{head[7]} << 8U) | head[8];
        on_data(static_cast<std::int32_t>(stream_id & 0x7FFFFFFFU));
      }
    }
  }

 private:
  static constexpr std::size_t kPrefaceSize = 24;
  static constexpr std::size_t kHeadSize = 9;
  static constexpr std::uint8_t kData = 0;

  std::size_t skip_ = kPrefaceSize;  // Bytes until the next frame's head.
  std::uint8_t head_[kHeadSize] = {};
  std::size_t got_ = 0;  // Of a head that came in pieces.
};

}  // namespace weir::net
