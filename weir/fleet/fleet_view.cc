#include "weir/fleet/fleet_view.h"

#include <array>

#include "weir/base/hash.h"

namespace weir {

std::string_view NameOf(FleetSource source) {
  static constexpr std::array<std::string_view, 4> kNames = {"static", "heartbeats", "dns",
                                                             "kubernetes"};
  return kNames.at(static_cast<std::size_t>(source));
}

Share EvenShare(const FleetView& fleet, std::uint64_t key_hash) {
  Share share{.part = 1, .whole = fleet.count};
  if (fleet.self == FleetView::kNoSelf) return share;
  if (fleet.members.empty()) {
    share.rank = (fleet.self + key_hash % fleet.count) % fleet.count;
    return share;
  }
  // More instances than members: some are known by number only, and no rank would be sound.
  if (fleet.members.size() != fleet.count) return share;
  const std::uint64_t mine = MixHash(key_hash, fleet.members[fleet.self]);
  std::uint64_t rank = 0;
  for (std::size_t i = 0; i < fleet.members.size(); ++i) {
    const std::uint64_t theirs = MixHash(key_hash, fleet.members[i]);
    if (theirs > mine || (theirs == mine && i < fleet.self)) ++rank;
  }
  share.rank = rank;
  return share;
}

}  // namespace weir
