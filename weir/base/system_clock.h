#pragma once

#include "weir/base/clock.h"

namespace weir {

// The library's one real clock: CLOCK_MONOTONIC and CLOCK_REALTIME.
class SystemClock final : public Clock {
 public:
  Now Read() const override;
};

}  // namespace weir
