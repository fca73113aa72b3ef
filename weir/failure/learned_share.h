#pragma once

#include <algorithm>
#include <cstdint>

#include "weir/base/clock.h"
#include "weir/core/share.h"
#include "weir/failure/key_table.h"

namespace weir {

// How long the learned split looks: max(10 s, window), at most a minute.  Epochs are aligned to the
// store's clock, so that all instances and the store cut time alike.
constexpr Duration EpochOf(Duration window) {
  return std::clamp<Duration>(window, std::chrono::seconds(10), std::chrono::minutes(1));
}
constexpr std::int64_t EpochNumber(Duration epoch, WallTime at) {
  return at.time_since_epoch() / epoch;
}

// What part of each key's traffic this instance carries: `split: learned`.
//
//   share = a x own part + (1 - a) / N;  own part = own admitted cost / the fleet's, of one closed
//   epoch
//
// No record is an own part of 0.  A record counts only if it is of the epoch that was the last
// closed one when the store was last heard of: so the shares of an epoch's members sum to at most 1
// (1 + a where an outage straddles an edge and some heard later than others; joiners add theirs).
//
// Bounded by `keys`; a key that was forgotten has no record.  Thread-safe.
class LearnedShares {
 public:
  explicit LearnedShares(std::size_t keys) : table_(keys) {}

  // The store answered at `at` on its clock: it admitted `cost` of this instance (0: it denied),
  // and in the epoch before that of `at` it admitted `fleet` of everybody.
  void Note(std::uint64_t id, Duration window, std::uint64_t cost, std::uint64_t fleet, WallTime at,
            Instant now);

  // The share of a key; `last_contact` is when the store last answered anything, on its clock.
  Share Of(std::uint64_t id, Duration window, double weight, std::uint64_t instances,
           WallTime last_contact) const;

 private:
  struct Record {
    std::uint64_t id;
    std::int64_t touched;
    std::int64_t epoch;  // That `own` is of.
    std::uint64_t own;
    std::uint64_t closed_own;  // Of epoch - 1.
    std::uint64_t closed_fleet;
  };
  KeyTable<Record> table_;
};

}  // namespace weir
