#pragma once

#include <cstddef>

namespace weir::net {

// For tests: how often this program has called operator new.  Linking allocation_count.cc replaces
// the operators of the whole program.
std::size_t AllocationCount();

}  // namespace weir::net
