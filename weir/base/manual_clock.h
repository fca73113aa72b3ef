#pragma once

#include <mutex>

#include "weir/base/clock.h"

namespace weir {

// A clock that moves only when told: for tests, the simulator and embedders' own tests.
// Thread-safe.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Now start = {}) : now_(start) {}

  Now Read() const override {
    const std::lock_guard lock(mutex_);
    return now_;
  }

  // Moves both timelines forward together.
  void Advance(Duration by) {
    const std::lock_guard lock(mutex_);
    now_.steady += by;
    now_.wall += by;
  }

  // Steps the wall clock alone, as an operator or NTP would; steady time does not notice.
  void StepWall(Duration by) {
    const std::lock_guard lock(mutex_);
    now_.wall += by;
  }

  void Set(Now now) {
    const std::lock_guard lock(mutex_);
    now_ = now;
  }

 private:
  mutable std::mutex mutex_;
  Now now_;
};

}  // namespace weir
