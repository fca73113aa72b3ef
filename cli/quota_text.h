#pragma once

#include <string>

#include "weir/core/rule.h"

namespace weir::cli {

// A quota as people say it: "50/s", "5/min", "20 per 10s", "50/s, burst 100".
std::string QuotaText(const Quota& quota);

// QuotaText(), or "unlimited".
std::string LimitText(const Rule& rule);

// "250ms", "10s", "1h"; the largest unit that is exact.
std::string DurationText(Duration duration);

}  // namespace weir::cli
