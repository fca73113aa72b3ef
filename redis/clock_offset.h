#pragma once

#include <cstdint>

#include "weir/base/clock.h"

namespace weir::redis {

// How far the store's clock is ahead of ours, from the answers that carry its time.
//
// An answer that took `r` tells the offset to within r / 2; the quickest answer of the last ten
// seconds is believed.  Not thread-safe.
class ClockOffset {
 public:
  static constexpr Duration kMemory = std::chrono::seconds(10);

  // The store said `store` to a call sent at `sent`; its answer is here now.
  void Add(WallTime store, Instant sent, const Now& now) {
    const Duration took = now.steady - sent;
    if (known_ && took > took_ && now.steady - when_ < kMemory) return;
    known_ = true;
    took_ = took;
    when_ = now.steady;
    offset_ = store - (now.wall - took / 2);
  }

  bool known() const { return known_; }
  // Positive: the store is ahead.  Zero until known.
  Duration value() const { return offset_; }
  // How wrong value() may be.
  Duration error() const { return took_ / 2; }

 private:
  bool known_ = false;
  Duration offset_{};
  Duration took_{};
  Instant when_{};
};

}  // namespace weir::redis
