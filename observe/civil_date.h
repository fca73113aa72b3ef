#pragma once

#include <string>

#include "weir/base/clock.h"

namespace weir::observe {

// "2026-01-14": the UTC day of `t`.  For the years 0 to 9999; others are clamped to them.
std::string DateOf(WallTime t);

// "2026-01-14T14:02:31.481Z" (RFC 3339), into `out`, which is appended to.
void AppendTimestamp(WallTime t, std::string& out);

}  // namespace weir::observe
