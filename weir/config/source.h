#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

// A file as the loader sees it: whoever reads files has read it already.
struct SourceFile {
  std::string name;  // as people should see it in messages
  std::string text;
};

// A place in a text.  Both count from 1; columns count characters, not bytes.  Line 0 means "the
// file as a whole".
struct SourceMark {
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  auto operator<=>(const SourceMark&) const = default;
};

// From `begin` up to, but not including, `end`.
struct SourceSpan {
  SourceMark begin;
  SourceMark end;

  bool operator==(const SourceSpan&) const = default;
};

// The text of one line (counted from 1) without its line break; empty beyond the end.
std::string_view SourceLine(std::string_view text, std::uint32_t line);

// How many characters a piece of UTF-8 has; stray bytes count as one each.
std::uint32_t CountCharacters(std::string_view utf8);

}  // namespace weir
