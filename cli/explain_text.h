#pragma once

#include <string>
#include <string_view>

#include "weir/limiter/explain.h"

namespace weir::cli {

struct ExplainStyle {
  bool color = false;
};

// `explanation` of `descriptor` for people: the walk as a tree, each step with its place in the
// files and what it was preferred to, then the answer, and, where no rule applies, why, and what
// would change that.  Pure; `policy` is the one that was explained.
std::string ExplainText(const Policy& policy, std::string_view domain, const Descriptor& descriptor,
                        const Explanation& explanation, const ExplainStyle& style = {});

// The same as one JSON object, without a line break.
std::string ExplainJson(const Policy& policy, std::string_view domain, const Descriptor& descriptor,
                        const Explanation& explanation);

// What became of the walk: "rule", "unlimited", "no_domain", "no_entry", "too_deep",
// "too_shallow", "empty".
std::string_view NameOf(Explanation::End end);

}  // namespace weir::cli
