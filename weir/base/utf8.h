#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace weir {

// How many bytes at the front of `text` make one well-formed character (RFC 3629: no overlong
// forms, no surrogates, nothing above U+10FFFF); 0 if they make none.
// REQUIRES: !text.empty()
constexpr std::size_t Utf8Length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (text.size() < length) return 0;
  const unsigned low = lead == 0xe0 ? 0xa0U : lead == 0xf0 ? 0x90U : 0x80U;
  const unsigned high = lead == 0xed ? 0x9fU : lead == 0xf4 ? 0x8fU : 0xbfU;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  }
  return length;
}

// Whether no byte of `text` is above 0x7f.  A handful of instructions for short texts: they are
// looked at in two overlapping words.
inline bool IsAscii(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;
  const char* const p = text.data();
  const std::size_t n = text.size();
  std::uint64_t seen = 0;
  if (n >= 8) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i + 8 < n; i += 8) {
      std::memcpy(&word, p + i, sizeof(word));
      seen |= word;
    }
    std::memcpy(&word, p + n - sizeof(word), sizeof(word));
    seen |= word;
  } else if (n >= 4) {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::memcpy(&first, p, sizeof(first));
    std::memcpy(&last, p + n - sizeof(last), sizeof(last));
    seen = first | last;
  } else if (n > 0) {
    // The first, the middle and the last of one to three bytes are all of them.
    seen = static_cast<unsigned char>(p[0]) | static_cast<unsigned char>(p[n / 2]) |
           static_cast<unsigned char>(p[n - 1]);
  }
  return (seen & kHighBits) == 0;
}

// Whether all of `text` is well-formed.
inline bool IsUtf8(std::string_view text) {
  if (IsAscii(text)) return true;
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace weir
