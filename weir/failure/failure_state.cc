#include "weir/failure/failure_state.h"

#include <algorithm>
#include <utility>

#include "weir/base/hash.h"

namespace weir {

Duration NodeState::Healthy(Instant now) const {
  const std::int64_t first = first_contact.load(std::memory_order_relaxed);
  if (first == 0) return {};
  const Duration since = now - Instant(Duration(first));
  return std::max(Duration{}, since - breaker.OpenFor(now));
}

void NodeState::Heard(WallTime at, const Now& now) {
  if (first_contact.load(std::memory_order_relaxed) == 0) {
    first_contact.store(std::max<std::int64_t>(1, now.steady.time_since_epoch().count()),
                        std::memory_order_relaxed);
  }
  if (at == WallTime{}) at = now.wall;
  // An answer can only be late, so the largest difference seen is the truest; smaller ones pull
  // slowly, so that a clock set back is followed too.
  const std::int64_t seen = (at - now.wall).count();
  const std::int64_t known = clock_offset.load(std::memory_order_relaxed);
  const bool first = last_contact.load(std::memory_order_relaxed) == 0;
  clock_offset.store(first || seen > known ? seen : known - (known - seen) / 64,
                     std::memory_order_relaxed);
  last_contact.store(at.time_since_epoch().count(), std::memory_order_relaxed);
}

FailureState::FailureState(FailureOptions options)
    : options_(std::move(options)),
      alone_({}),
      timeout_(options_.timeout),
      mirror_(options_.mirror_keys),
      caught_(options_.caught_keys, options_.now.steady),
      learned_(options_.learned_keys),
      rehearsal_(static_cast<std::size_t>(static_cast<double>(options_.mirror_keys) *
                                          std::clamp(options_.rehearsed, 0.0, 1.0)),
                 options_.rehearsed),
      ledger_(options_.ledger_keys) {
  for (std::size_t i = 0; i < kNodes; ++i) {
    nodes_[i] = std::make_unique<NodeState>(MixHash(options_.seed, i));
  }
}

Moment FailureState::MomentOf(NodeId id, const Now& now) {
  // A second of head start keeps every tick above zero, which means "full".
  const Duration age = now.steady - options_.now.steady + std::chrono::seconds(1);
  const Duration offset(node(id).clock_offset.load(std::memory_order_relaxed));
  return {.steady = now.steady,
          .ticks = age.count() * Quota::kTicksPerNano,
          .store = now.wall + offset};
}

const Snapshot<FleetView>& FailureState::fleet() const {
  return options_.fleet != nullptr ? options_.fleet->view() : alone_.view();
}

}  // namespace weir
