#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/config/source.h"

namespace weir {

enum class Severity : std::uint8_t { kError, kWarning };

// A second place that helps to understand a finding, e.g. the first of two equal definitions.
struct RelatedPlace {
  std::string file;
  SourceSpan span;
  std::string label;

  bool operator==(const RelatedPlace&) const = default;
};

// One finding about a configuration text.  A plain value.
struct Diagnostic {
  std::string code;  // "WEIR-P003"; listed in codes.h and docs/errors.md, and never reused
  Severity severity = Severity::kError;
  std::string file;
  SourceSpan span;      // what the carets stand under; line 0: the file as a whole
  std::string message;  // one line, no full stop
  std::string label;    // beside the carets
  std::string effect;   // what would happen, or would have happened
  std::string fix;      // a way out
  std::vector<std::string> notes;
  std::vector<RelatedPlace> related;

  bool operator==(const Diagnostic&) const = default;
};

std::size_t CountOf(std::span<const Diagnostic> diagnostics, Severity severity);

inline bool HasErrors(std::span<const Diagnostic> diagnostics) {
  return CountOf(diagnostics, Severity::kError) != 0;
}

// By file, then line, then column, then code; equal findings once.
void SortDiagnostics(std::vector<Diagnostic>& diagnostics);

// "policy.d/shop.yaml:5:5: error[WEIR-P003]: unknown key `ratelimit`": for logs.
std::string OneLine(const Diagnostic& diagnostic);

// The candidate nearest to `word` by edit distance, if near enough that a slip of the fingers
// explains it (letter case, `-` and `_` count for nothing); else empty.
std::string_view DidYouMean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace weir
