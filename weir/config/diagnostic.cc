#include "weir/config/diagnostic.h"

#include <algorithm>
#include <tuple>

namespace weir {
namespace {

constexpr std::size_t kLongestSuggestibleWord = 64;

std::string Folded(std::string_view word) {
  std::string out;
  for (const char c : word) {
    if (c == '-' || c == '_' || c == ' ') continue;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

// Edits to get from one to the other, where swapping two neighbours is one edit.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::size_t CountOf(std::span<const Diagnostic> diagnostics, Severity severity) {
  return static_cast<std::size_t>(
      std::count_if(diagnostics.begin(), diagnostics.end(),
                    [severity](const Diagnostic& d) { return d.severity == severity; }));
}

void SortDiagnostics(std::vector<Diagnostic>& diagnostics) {
  const auto place = [](const Diagnostic& d) {
    return std::tie(d.file, d.span.begin, d.code, d.message);
  };
  std::stable_sort(diagnostics.begin(), diagnostics.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
  diagnostics.erase(std::unique(diagnostics.begin(), diagnostics.end()), diagnostics.end());
}

std::string OneLine(const Diagnostic& d) {
  std::string out = d.file;
  if (d.span.begin.line != 0) {
    out += ':' + std::to_string(d.span.begin.line) + ':' + std::to_string(d.span.begin.column);
  }
  out += d.severity == Severity::kError ? ": error[" : ": warning[";
  return out + d.code + "]: " + d.message;
}

std::string_view DidYouMean(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > kLongestSuggestibleWord) return {};
  const std::string folded = Folded(word);
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, folded.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = EditDistance(folded, Folded(candidate));
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace weir
