#include "weir/config/source.h"

#include <algorithm>

namespace weir {

std::string_view SourceLine(std::string_view text, std::uint32_t line) {
  if (line == 0) return {};
  std::size_t begin = 0;
  for (std::uint32_t n = 1; n < line; ++n) {
    begin = text.find('\n', begin);
    if (begin == std::string_view::npos) return {};
    ++begin;
  }
  std::string_view found =
      text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
  if (found.ends_with('\r')) found.remove_suffix(1);
  return found;
}

std::uint32_t CountCharacters(std::string_view utf8) {
  const auto starts = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return static_cast<std::uint32_t>(std::count_if(utf8.begin(), utf8.end(), starts));
}

}  // namespace weir
