#pragma once

#include <cstdint>
#include <vector>

#include "weir/base/clock.h"

namespace weir::observe {

// Which counters were denied in this minute of steady time already.
//
// Remembers kMost of them.  With more in one minute some are forgotten, and then told as first once
// more: never is a first denial missed.  Allocates when it is made, not later.  Not thread-safe.
class FirstDenials {
 public:
  static constexpr std::size_t kMost = 4096;

  FirstDenials() : slots_(kMost) {}

  // Whether this is the first denial of the counter `id` (see Hit::id) in the minute of `now`;
  // from then on it is not.
  bool Note(std::uint64_t id, Instant now) {
    constexpr Duration kMinute = std::chrono::minutes(1);
    const std::int64_t minute = now.time_since_epoch() / kMinute + 1;  // 0 marks an empty slot.
    Slot* const group = &slots_[(id % (kMost / kGroup)) * kGroup];
    Slot* oldest = group;
    for (std::size_t i = 0; i < kGroup; ++i) {
      if (group[i].id == id && group[i].minute == minute) return false;
      if (group[i].minute < oldest->minute) oldest = &group[i];
    }
    // All of this minute: any may go, but not always the same one.
    if (oldest->minute == minute) oldest = &group[(id >> 32U) % kGroup];
    *oldest = {.id = id, .minute = minute};
    return true;
  }

 private:
  static constexpr std::size_t kGroup = 4;  // One cache line.
  struct Slot {
    std::uint64_t id = 0;
    std::int64_t minute = 0;
  };
  std::vector<Slot> slots_;
};

}  // namespace weir::observe
