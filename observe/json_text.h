#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

#include "observe/utf8_text.h"

namespace weir::observe {

// JSON (RFC 8259) appended to a string that keeps its memory: for lines written at a high rate.

// `text` in quotes.  Control characters are escaped, bytes that are not UTF-8 become U+FFFD.
inline void AppendJsonString(std::string_view text, std::string& out) {
  out += '"';
  AppendUtf8(text, out, [](char c, std::string& to) {
    constexpr std::string_view kHex = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      to += '\\';
      to += c;
    } else if (byte >= 0x20) {
      to += c;
    } else {
      to += "\\u00";
      to += kHex[byte >> 4U];
      to += kHex[byte & 0xfU];
    }
  });
  out += '"';
}

template <typename Number>
requires std::integral<Number> || std::floating_point<Number>
void AppendJsonNumber(Number number, std::string& out) {
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

}  // namespace weir::observe
