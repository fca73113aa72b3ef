#pragma once

#include <string_view>

namespace weir {

// Whether `text` matches `pattern`, in which each `*` stands for any run of characters, also an
// empty one, and everything else for itself.  The first and last literal are anchored; those
// between are found greedily from the left.  Linear in `text` for each literal; no recursion.
bool MatchesPattern(std::string_view pattern, std::string_view text);

// Whether every text that `narrow` matches is matched by `wide` too.  Exact for patterns with one
// `*`; for others it may miss a case, but a `true` is always right.
bool PatternCovers(std::string_view wide, std::string_view narrow);

}  // namespace weir
