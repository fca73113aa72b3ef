#pragma once

#include <algorithm>
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
// Inline: most of what a decision in memory costs is calls and copies.
Step Charge(std::uint64_t state, const Quota& quota, std::int64_t now, std::uint64_t cost);

// Gives `cost` back, at most until the bucket is full.
Step Refund(std::uint64_t state, const Quota& quota, std::int64_t now, std::uint64_t cost);

// What a bucket that is `used` ticks away from full still grants.
struct Room {
  std::uint64_t units = 0;  // Whole ones, at once.
  Duration next{};          // Until there is one more; zero when full.
};
Room RoomOf(const Quota& quota, std::uint64_t used);

// RoomOf(...).units
std::uint64_t Remaining(const Quota& quota, std::uint64_t used);

namespace detail {

// Rounded up: a caller who waits exactly this long must not come a tick early.
inline Duration ToDuration(std::int64_t ticks) {
  return Duration((ticks + Quota::kTicksPerNano - 1) / Quota::kTicksPerNano);
}

// A state further ahead than a full debt can only come from another quota or another clock.
inline std::int64_t DebtOf(std::uint64_t state, const Quota& quota, std::int64_t now) {
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(state) - now, 0, quota.tolerance);
}

inline Step Denied(std::uint64_t state, std::int64_t debt, Duration retry) {
  return {.allowed = false,
          .state = state,
          .used = static_cast<std::uint64_t>(debt),
          .retry = retry,
          .reset = ToDuration(debt)};
}

}  // namespace detail

inline Step Charge(std::uint64_t state, const Quota& quota, std::int64_t now, std::uint64_t cost) {
  const std::int64_t debt = detail::DebtOf(state, quota, now);
  if (cost == 0) {
    return {.state = state,
            .used = static_cast<std::uint64_t>(debt),
            .reset = detail::ToDuration(debt)};
  }
  if (cost > quota.burst) return detail::Denied(state, debt, kNeverFits);
  const std::int64_t after = debt + static_cast<std::int64_t>(cost) * quota.interval;
  if (after > quota.tolerance) {
    return detail::Denied(state, debt, detail::ToDuration(after - quota.tolerance));
  }
  return {.state = static_cast<std::uint64_t>(now + after),
          .used = static_cast<std::uint64_t>(after),
          .reset = detail::ToDuration(after)};
}

}  // namespace weir::gcra
