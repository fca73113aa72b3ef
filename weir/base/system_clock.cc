#include "weir/base/system_clock.h"

namespace weir {

Now SystemClock::Read() const {
  return {.steady = Instant(std::chrono::steady_clock::now().time_since_epoch()),
          .wall = WallTime(std::chrono::system_clock::now().time_since_epoch())};
}

}  // namespace weir
