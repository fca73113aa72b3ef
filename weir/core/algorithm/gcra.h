#pragma once

#include <cstdint>

#include "weir/core/algorithm/step.h"
#include "weir/core/quota.h"

namespace weir::gcra {

// The generic cell rate algorithm (ITU-T I.371), in the form of a token bucket: `limit` units per
// window, up to `burst` of them at once.
//
// The state is one number: the tick at which the bucket will be full again (the theoretical arrival
// time).  0, or any tick that has passed, is a full bucket.
//
//        now            state            now + tolerance
//         |---- debt ----|---- room ------------|
//
// A request of cost n moves `state` n intervals to the right if that keeps it within tolerance of
// now; otherwise it is denied and the state does not move.  `now` is steady time in ticks
// (Quota::kTicksPerNano to the nanosecond) since an origin that is the store's to choose; it may
// be anything from 0 to 2^62.  All functions are pure.

// Spends `cost`.  0 looks and is always allowed.  A cost above the burst can never pass: denied
// with kNeverFits.  REQUIRES: a quota made by MakeQuota() for a token bucket.
Step Charge(std::uint64_t state, const Quota& quota, std::int64_t now, std::uint64_t cost);

// Gives `cost` back, at most until the bucket is full.
Step Refund(std::uint64_t state, const Quota& quota, std::int64_t now, std::uint64_t cost);

// Whole units the bucket holds when it is `used` ticks away from full.
std::uint64_t Remaining(const Quota& quota, std::uint64_t used);

// Until one more whole unit is there; zero when full.
Duration NextUnit(const Quota& quota, std::uint64_t used);

}  // namespace weir::gcra
