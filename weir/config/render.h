#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "weir/config/diagnostic.h"
#include "weir/config/source.h"

namespace weir {

struct RenderOptions {
  bool color = false;  // ANSI colours; the caller knows whether this is a terminal
};

// One finding for people: headline, place, excerpt with carets, then effect, fix and notes. `files`
// are where excerpts come from; a file that is not among them shows without an excerpt.  Ends with
// a line break.
std::string RenderText(const Diagnostic& diagnostic, std::span<const SourceFile> files,
                       RenderOptions options = {});

// All of them with an empty line between.
std::string RenderText(std::span<const Diagnostic> diagnostics, std::span<const SourceFile> files,
                       RenderOptions options = {});

// "2 files, 12 rules: 1 error, 1 warning. Help for a code: weir help WEIR-P003" with a line break.
std::string RenderSummary(std::span<const Diagnostic> diagnostics, std::size_t files,
                          std::size_t rules);

// The whole result as one JSON object, `"schema":"weir.check/1"`, with a line break.  Positions
// count from 1; `length` counts characters on the first line; a finding about a whole file has
// line 0.
std::string RenderJson(std::span<const Diagnostic> diagnostics, std::size_t files,
                       std::size_t rules);

// A JSON string literal, quotes included.  Bytes that are not UTF-8 become U+FFFD.
std::string JsonQuoted(std::string_view text);

}  // namespace weir
