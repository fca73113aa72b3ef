#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "weir/answer/applied.h"
#include "weir/answer/header_style.h"
#include "weir/answer/text_writer.h"

namespace weir {

struct HeaderLine {
  std::string_view name;  // Lower case.
  std::string_view value;

  bool operator==(const HeaderLine&) const = default;
};

// Header lines with the memory their values live in.  Reuse one per loop.
class HeaderLines {
 public:
  static constexpr std::size_t kMost = 8;
  // For the values together: enough for Selection::kMost policies with the longest names.  A policy
  // that does not fit (a large partition key) is left out whole.
  static constexpr std::size_t kTextBytes = 8192;

  HeaderLines() = default;
  HeaderLines(const HeaderLines&) = delete;
  HeaderLines& operator=(const HeaderLines&) = delete;

  // Valid until Clear().
  std::span<const HeaderLine> lines() const { return {lines_.data(), size_}; }

  void Clear() {
    size_ = 0;
    start_ = 0;
    text_.Rewind(0);
  }

  // For those who write: the text since the last line becomes a line's value.  Nothing happens if
  // there is no text.  `name` must outlive this.
  TextWriter& text() { return text_; }
  void EndLine(std::string_view name);
  void AddNumber(std::string_view name, std::int64_t number);

 private:
  std::array<HeaderLine, kMost> lines_;
  std::size_t size_ = 0;
  std::size_t start_ = 0;
  std::array<char, kTextBytes> memory_;
  TextWriter text_{memory_};
};

// Writes what a client should learn about its limits, in the style of `options`: on a denial first
// Retry-After, then the style's own fields.  Nothing is said about rules that are unlimited, not
// enforced or were not evaluated.  Clears `out` first.
//
// Drafts 11 and 12 (draft-ietf-httpapi-ratelimit-headers): RateLimit-Policy lists every policy
// shown, with `weir-burst` where a bucket holds other than one window's worth; RateLimit those that
// `options` ask for.  Numbers above 999,999,999,999,999 become that number.  Do not send them on
// 3xx or as trailers.
void WriteHeaders(const HeaderOptions& options, const AnswerFacts& facts, HeaderLines& out);

}  // namespace weir
