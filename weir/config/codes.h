#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weir {

// What a code of a Diagnostic stands for.  Codes are stable: they are never given another meaning.
// WEIR-P... are about policy files, WEIR-S... about weir.yaml.
struct CodeEntry {
  std::string_view code;   // "WEIR-P003"
  std::string_view title;  // one line
  std::string_view help;   // a paragraph: what it means and what to do
};

// Every code there is, sorted.
std::span<const CodeEntry> AllCodes();

// "WEIR-P003", "weir-p003" or "P003"; null if there is no such code.
const CodeEntry* FindCode(std::string_view code);

// The text of `weir help CODE`, with line breaks.
std::string CodeHelp(const CodeEntry& entry);

// docs/errors.md, whole.
std::string CodesAsMarkdown();

}  // namespace weir
