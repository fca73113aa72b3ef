#include "weir/failure/outage_timers.h"

#include <algorithm>

#include "weir/base/hash.h"

namespace weir {

Instant OutageTimers::Since(NodeId node, std::uint64_t rule, Instant closed_since, Instant now) {
  const std::uint64_t id = MixHash(rule, node) | 1U;
  return table_.With(id, now, [&](Timer& timer, bool fresh) {
    const Instant began{Duration(timer.began)};
    const bool over = closed_since != kNever && now - std::max(began, closed_since) >= kOver;
    if (fresh || over) timer.began = now.time_since_epoch().count();
    return Instant(Duration(timer.began));
  });
}

}  // namespace weir
