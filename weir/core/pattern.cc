#include "weir/core/pattern.h"

namespace weir {

bool MatchesPattern(std::string_view pattern, std::string_view text) {
  const std::size_t first = pattern.find('*');
  if (first == std::string_view::npos) return pattern == text;
  const std::size_t last = pattern.rfind('*');
  const std::string_view prefix = pattern.substr(0, first);
  const std::string_view suffix = pattern.substr(last + 1);
  if (text.size() < prefix.size() + suffix.size()) return false;
  if (!text.starts_with(prefix) || !text.ends_with(suffix)) return false;
  std::string_view rest = text.substr(prefix.size(), text.size() - prefix.size() - suffix.size());

  std::string_view middle = pattern.substr(first, last - first);  // "*lit*lit", or empty.
  while (!middle.empty()) {
    middle.remove_prefix(1);
    const std::string_view literal = middle.substr(0, middle.find('*'));
    const std::size_t at = rest.find(literal);
    if (at == std::string_view::npos) return false;
    rest.remove_prefix(at + literal.size());
    middle.remove_prefix(literal.size());
  }
  return true;
}

bool PatternCovers(std::string_view wide, std::string_view narrow) {
  // Reading narrow's own stars as text that `wide` has to swallow is sound: whatever they stand
  // for, a star of `wide` can take it, and a literal of `wide` never claims them.
  if (wide.find('*') == std::string_view::npos) return wide == narrow;
  return MatchesPattern(wide, narrow);
}

}  // namespace weir
