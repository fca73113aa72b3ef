#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "observe/exposition.h"
#include "weir/limiter/counters.h"
#include "weir/limiter/engine.h"

namespace weir::observe {

// The engines of a process, all under the same policy: what is read from them is summed.
using Engines = std::span<const Engine* const>;

// The names under which envoyproxy/ratelimit reports (its statsd names, and what its built-in
// Prometheus mapping makes of them), so that boards and alerts made for it keep working.

// A metric key as it stands in a statsd name: `:` and `|` become `_`, and so do the dots of what
// looks like an IPv4 address.  Other dots stay, and split levels.
std::string SanitizeStatKey(std::string_view key);

// The labels of a rule's series.  The service cuts them out of the dotted name: `domain` is the
// part before the first dot, `key1` and `key2` the next two parts, and deeper levels are folded
// into the series of the second.  A value with a dot in it moves everything after it.
struct ReferenceLabels {
  std::string domain;
  std::string key1;
  std::string key2;  // Empty: no such label.

  auto operator<=>(const ReferenceLabels&) const = default;
};

// The labels of a sanitised metric key.  `key1` is empty for a key without levels, which the
// mapping leaves without labels.
ReferenceLabels LabelsOfStatKey(std::string_view sanitized);

// The longest metric key told apart; longer ones are cut here, on a character's edge.
inline constexpr std::size_t kLongestStatKey = 512;

// The counts of the engines' rules by sanitised metric key: limited rules also if nothing was
// counted yet, rules without limit never.  Rules and requests that share a key are summed.
std::map<std::string, RuleTotals, std::less<>> TotalsByStatKey(Engines engines);

// What the service counts beside its rules.
struct ReferenceServiceCounts {
  std::uint64_t redis_errors = 0;
  std::uint64_t service_errors = 0;
  std::uint64_t global_shadow_mode = 0;
  std::uint64_t config_load_success = 0;
  std::uint64_t config_load_error = 0;
  std::uint64_t should_rate_limit_requests = 0;  // Over gRPC; those of /json are not counted there.
  HistogramTotals should_rate_limit_duration;
};

// Adds the service's own families to `page`.  Unlike there, counters exist from the start, at 0.
void WriteReferenceMetrics(Engines engines, const ReferenceServiceCounts& service,
                           Exposition& page);

}  // namespace weir::observe
