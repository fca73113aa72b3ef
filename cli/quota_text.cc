#include "cli/quota_text.h"

#include <array>
#include <string_view>

namespace weir::cli {
std::string DurationText(Duration duration) {
  struct Step {
    std::int64_t nanos;
    std::string_view name;
  };
  static constexpr std::array<Step, 5> kSteps{{{3'600'000'000'000, "h"},
                                               {60'000'000'000, "min"},
                                               {1'000'000'000, "s"},
                                               {1'000'000, "ms"},
                                               {1'000, "us"}}};
  for (const Step& step : kSteps) {
    if (duration.count() == 0 || duration.count() % step.nanos != 0) continue;
    return std::to_string(duration.count() / step.nanos) + std::string(step.name);
  }
  return std::to_string(duration.count()) + "ns";
}

std::string QuotaText(const Quota& quota) {
  std::string out = std::to_string(quota.limit);
  const std::string_view unit = ShortNameOf(quota.unit);
  out += unit.empty() ? " per " + DurationText(quota.window) : "/" + std::string(unit);
  if (quota.algorithm == Algorithm::kTokenBucket && quota.burst != quota.limit) {
    out += ", burst " + std::to_string(quota.burst);
  }
  return out;
}

std::string LimitText(const Rule& rule) {
  return rule.unlimited ? "unlimited" : QuotaText(rule.quota);
}

}  // namespace weir::cli
