#include "weir/config/findings.h"

#include <utility>

namespace weir {

Diagnostic& Findings::Add(std::string_view code, Weight weight, const YamlNode* at,
                          std::string message) {
  Diagnostic& added = diagnostics_.emplace_back();
  added.code = code;
  added.severity = weight == Weight::kError ? Severity::kError : Severity::kWarning;
  if (weight == Weight::kNativeError) undecided_.push_back(diagnostics_.size() - 1);
  added.file = file_;
  if (at != nullptr) added.span = at->span;
  added.message = std::move(message);
  return added;
}

Diagnostic& Findings::Refused(std::string_view code, const YamlNode* at, std::string message,
                              std::string reference_text) {
  NoteRefusal(std::move(reference_text));
  return Add(code, Weight::kError, at, std::move(message));
}

void Findings::NoteRefusal(std::string reference_text) {
  std::string& first = refusals_[building_ ? 1 : 0];
  if (first.empty()) first = std::move(reference_text);
}

void Findings::Finish() {
  const bool portable = !native_block_ && refusals_[0].empty() && refusals_[1].empty();
  if (reference_ || portable) return;
  for (const std::size_t i : undecided_) diagnostics_[i].severity = Severity::kError;
}

std::string Ticked(std::string_view text) {
  constexpr std::size_t kMost = 80;
  std::string out = "`";
  for (const char c : text.substr(0, kMost)) {
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + (text.size() > kMost ? "...`" : "`");
}

}  // namespace weir
