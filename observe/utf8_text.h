#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "weir/base/utf8.h"

namespace weir::observe {

// The longest prefix of `text` of at most `most` bytes that does not end inside a character.
inline std::string_view ClipText(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && most - end < 3 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) {
    --end;
  }
  return text.substr(0, end);
}

// Appends `text` to `out`, each byte that is not part of well-formed UTF-8 as U+FFFD and each
// ASCII character through `escape(char, std::string&)`.
template <typename Escape>
void AppendUtf8(std::string_view text, std::string& out, Escape escape) {
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    if (length == 1) {
      escape(text.front(), out);
    } else if (length == 0) {
      out += "\xef\xbf\xbd";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

}  // namespace weir::observe
