#pragma once

#include <string_view>

#include "observe/service_counts.h"

namespace weir::observe {

// Asks the kernel (getrusage, getrlimit, /proc/self).  What cannot be read stays 0.  Opens files:
// call it when somebody looks, not in a loop's turn.  `started` is the caller's to fill in.
ProcessFacts ReadProcessFacts();

// The sizes in /proc/self/statm, "size resident shared ...", in pages of `page` bytes.  Leaves
// `facts` alone if `text` is something else.
void ParseStatm(std::string_view text, std::uint64_t page, ProcessFacts& facts);

}  // namespace weir::observe
