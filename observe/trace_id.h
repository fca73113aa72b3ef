#pragma once

#include <string_view>

namespace weir::observe {

// The 32 hexadecimal digits of the trace that a `traceparent` header names (W3C Trace Context level
// 1, section 3.2); empty if it is not one.  A view into `traceparent`.
std::string_view TraceIdOf(std::string_view traceparent);

}  // namespace weir::observe
