#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "weir/answer/headers.h"

namespace weir {

// The three headers of envoyproxy/ratelimit (LIMIT_RESPONSE_HEADERS_ENABLED), for the reference
// profile: exactly its choice of numbers, and its configurable names.

// LIMIT_LIMIT_HEADER, LIMIT_REMAINING_HEADER, LIMIT_RESET_HEADER.
struct ReferenceHeaderNames {
  std::string limit = "RateLimit-Limit";
  std::string remaining = "RateLimit-Remaining";
  std::string reset = "RateLimit-Reset";
};

// What the response says of one descriptor.
struct ReferenceStatus {
  bool has_limit = false;  // current_limit is present.
  bool hard_over = false;  // OVER_LIMIT, and the rule is not in quota mode.
  std::uint32_t limit = 0;
  std::uint32_t remaining = 0;
  std::int64_t reset_seconds = 0;
};

// Describes the last descriptor that is hard over its limit; if there is none, the first with the
// least remaining.  No lines at all if no descriptor has a limit.  `names` must outlive `out`'s
// lines.  Clears `out` first.
void WriteReferenceHeaders(const ReferenceHeaderNames& names,
                           std::span<const ReferenceStatus> statuses, HeaderLines& out);

}  // namespace weir
