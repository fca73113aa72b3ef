#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weir/limiter/explain.h"

namespace weir::cli {

// What to tell somebody whose descriptor met no rule of its own.
struct Advice {
  std::vector<std::string> why;  // Lines of one sentence.
  struct WayOut {
    std::string text;               // "send (tenant=acme) as a second descriptor".
    std::string note;               // Beside it; may be empty.
    std::vector<std::string> yaml;  // What to write there; may be empty.
  };
  std::vector<WayOut> ways_out;  // One of them is enough.
};

// Empty for a descriptor that a rule applies to.  Pure.
Advice AdviceFor(const Policy& policy, std::string_view domain, const Descriptor& descriptor,
                 const Explanation& explanation);

// "tenant=acme", or "tenant" for a node that takes any value.
std::string NodeText(const Policy::Node& node);

}  // namespace weir::cli
