#pragma once

#include <cstdint>

#include "weir/base/clock.h"
#include "weir/core/check.h"
#include "weir/failure/key_table.h"

namespace weir {

// Since when each rule is without counts from a node: the ladder's clock, and the moment that
// `static` looks back from.
//
// A timer starts at the first uncounted hit of its process, node and rule; it survives flaps, and
// is over once it has seen the breaker closed for 60 s on end.  Bounded by `timers`: beyond, the
// one least recently used starts again.
//
// Thread-safe; shared by the loops of an instance.
class OutageTimers {
 public:
  static constexpr Duration kOver = std::chrono::seconds(60);
  static constexpr std::size_t kTimers = 16'384;

  explicit OutageTimers(std::size_t timers = kTimers) : table_(timers) {}

  // An uncounted hit of the rule (Rule::id_hash): when its outage began, perhaps now.
  // `closed_since` as Breaker::ClosedSince().
  Instant Since(NodeId node, std::uint64_t rule, Instant closed_since, Instant now);

 private:
  struct Timer {
    std::uint64_t id;
    std::int64_t touched;
    std::int64_t began;
  };
  KeyTable<Timer> table_;
};

}  // namespace weir
