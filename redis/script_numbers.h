#pragma once

#include <cstdint>

#include "weir/core/check.h"

namespace weir::redis {

// A quota as the scripts count it: exact numbers, in doubles.
struct ScriptQuota {
  double algorithm = 0;  // As the general script numbers them.
  double limit = 0;      // Token bucket: tolerance, shared ticks.  Windows: units.
  double window = 0;     // Shared ticks; 0 for a token bucket.
  double shift = 0;      // What to add to a tick so that windows begin at multiples of `window`.
  double life = 0;       // Seconds after which a level has died out.
};
ScriptQuota ScriptQuotaOf(const Quota& quota);

// What spending (or giving back) the hit's cost means in the script: shared ticks for a token
// bucket, units for a window.  What can never fit is larger than any limit, and still exact.
double ScriptCostOf(const Hit& hit);

// The epoch in which the units of a `split: learned` rule are counted (failure/learned_share.h), in
// shared ticks; 0 for other rules.
struct ScriptEpoch {
  double length = 0;
  double shift = 0;
};
ScriptEpoch ScriptEpochOf(const Hit& hit);

// The outcome of `hit`, from the script's integers and the tick of its clock.  `add`: the hit was
// added whatever the limit.  REQUIRES: level is not kForeign.
Outcome OutcomeOf(const Hit& hit, bool add, std::int64_t level, std::int64_t previous,
                  std::int64_t tick);

// The highest level the algorithm can have.  What a store answers beyond it is no answer of our
// scripts.
bool PlausibleLevel(const Quota& quota, std::int64_t level);

}  // namespace weir::redis
