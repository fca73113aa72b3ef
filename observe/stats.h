#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "observe/reference_metrics.h"
#include "observe/service_counts.h"
#include "weir/store/memory_store.h"

namespace weir::observe {

// A number by a dotted name, as Envoy and the reference service name theirs.
struct Stat {
  std::string name;  // Never with a line break or another control character.
  std::uint64_t value = 0;

  bool operator==(const Stat&) const = default;
};

// Every count of the process: "ratelimit.service.rate_limit.<key>.<kind>" for the rules, under the
// reference service's names whatever the profile, and "weir.<what>" for the rest.  Sorted by name.
// `store` may be null.
std::vector<Stat> ReadStats(Engines engines, const MemoryStore* store,
                            const ServiceCounts& service);

}  // namespace weir::observe
