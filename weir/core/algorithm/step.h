#pragma once

#include <cstdint>

#include "weir/base/clock.h"
#include "weir/core/decision.h"

namespace weir {

// What one charge did to one counter.  `state` is what the counter should hold now; if it equals
// the state given, nothing needs to be written.
struct Step {
  bool allowed = true;
  std::uint64_t state = 0;
  std::uint64_t used = 0;  // As Outcome::used.
  Duration retry{};        // As Outcome::retry.
  Duration reset{};
  Duration next{};           // Sliding window only.
  std::uint64_t before = 0;  // As Outcome::before.
};

}  // namespace weir
