#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "weir/base/clock.h"
#include "weir/core/share.h"

namespace weir {

// Where the number of live instances comes from.
enum class FleetSource : std::uint8_t { kStatic, kHeartbeats, kDns, kKubernetes };

// "static", "heartbeats", "dns", "kubernetes": the words of the configuration and of metrics.
std::string_view NameOf(FleetSource source);

// How many instances share the limits, as one instance believes.  A plain value, published whole by
// LiveCount; loops look at it once a turn.
struct FleetView {
  static constexpr std::uint32_t kNoSelf = ~std::uint32_t{0};

  std::uint32_t count = 1;  // At least 1.
  FleetSource source = FleetSource::kStatic;
  bool joined = true;   // False: no answer yet, `count` is the expected number.
  bool frozen = false;  // The source gives no answer; the last count stands.
  Instant seen{};       // When the source last gave an answer; meaningless until `joined`.

  // Hashes of the members' ids, where the source names them; else empty.  Sorted, as all instances
  // have them.
  std::vector<std::uint64_t> members{};
  // This instance's place in `members`, or its ordinal in a static fleet; kNoSelf if unknown.
  std::uint32_t self = kNoSelf;

  bool operator==(const FleetView&) const = default;

  Duration Age(Instant now) const { return joined ? now - seen : Duration{}; }
};

// This instance's even share for one key, 1 / count.  Its rank, by which whole numbers split
// without loss, differs from key to key, so that no instance is favoured: from rendezvous hashing
// over the members, or the ordinal moved on by the key.  `key_hash` must be one that all instances
// agree on (unseeded).  O(members).  Pure.
Share EvenShare(const FleetView& fleet, std::uint64_t key_hash);

}  // namespace weir
