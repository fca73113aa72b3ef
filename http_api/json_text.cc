#include "http_api/json_text.h"

#include <charconv>

#include "weir/base/utf8.h"

namespace weir::http_api {

void AppendJsonNumber(std::uint64_t number, std::string* out) {
  char digits[20];
  out->append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void AppendJsonString(std::string_view text, std::string* out) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  out->push_back('"');
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    const char c = text.front();
    if (length == 0) {
      out->append("\xef\xbf\xbd");
      text.remove_prefix(1);
      continue;
    }
    if (c == '"' || c == '\\') {
      out->push_back('\\');
      out->push_back(c);
    } else if (length == 1 && static_cast<unsigned char>(c) < 0x20) {
      out->append("\\u00");
      out->push_back(kHex[static_cast<unsigned char>(c) >> 4U]);
      out->push_back(kHex[static_cast<unsigned char>(c) & 15U]);
    } else {
      out->append(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  out->push_back('"');
}

}  // namespace weir::http_api
