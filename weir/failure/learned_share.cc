#include "weir/failure/learned_share.h"

#include <cmath>

#include "weir/base/wide.h"

namespace weir {

void LearnedShares::Note(std::uint64_t id, Duration window, std::uint64_t cost, std::uint64_t fleet,
                         WallTime at, Instant now) {
  const std::int64_t epoch = EpochNumber(EpochOf(window), at);
  table_.With(id, now, [&](Record& record, bool fresh) {
    if (fresh) record.epoch = epoch;
    if (epoch < record.epoch) return;  // Another loop heard of a later epoch meanwhile.
    if (epoch > record.epoch) {
      record.closed_own = epoch == record.epoch + 1 ? record.own : 0;
      record.closed_fleet = 0;
      record.own = 0;
      record.epoch = epoch;
    }
    record.own += cost;
    record.closed_fleet = fleet;
  });
}

Share LearnedShares::Of(std::uint64_t id, Duration window, double weight, std::uint64_t instances,
                        WallTime last_contact) const {
  constexpr std::uint64_t kWhole = 1ULL << 32U;
  const std::int64_t epoch = EpochNumber(EpochOf(window), last_contact);
  std::uint64_t own = 0;
  std::uint64_t fleet = 0;
  table_.IfKnown(id, [&](const Record& record) {
    if (record.epoch != epoch) return;
    own = record.closed_own;
    fleet = record.closed_fleet;
  });
  const auto learned =
      static_cast<std::uint64_t>(std::llround(weight * static_cast<double>(kWhole)));
  Share share{.part = (kWhole - learned) / std::max<std::uint64_t>(1, instances), .whole = kWhole};
  if (fleet != 0) {
    share.part +=
        static_cast<std::uint64_t>(static_cast<Wide>(learned) * std::min(own, fleet) / fleet);
  }
  return share;
}

}  // namespace weir
