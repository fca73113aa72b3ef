#include "weir/core/algorithm/gcra.h"

#include <algorithm>

namespace weir::gcra {
namespace {

// Rounded up: a caller who waits exactly this long must not come a tick early.
Duration ToDuration(std::int64_t ticks) {
  return Duration((ticks + Quota::kTicksPerNano - 1) / Quota::kTicksPerNano);
}

// A state further ahead than a full debt can only come from another quota or another clock.
std::int64_t DebtOf(std::uint64_t state, const Quota& quota, std::int64_t now) {
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(state) - now, 0, quota.tolerance);
}

Step Denied(std::uint64_t state, std::int64_t debt, Duration retry) {
  return {.allowed = false,
          .state = state,
          .used = static_cast<std::uint64_t>(debt),
          .retry = retry,
          .reset = ToDuration(debt)};
}

}  // namespace

Step Charge(std::uint64_t state, const Quota& quota, std::int64_t now, std::uint64_t cost) {
  const std::int64_t debt = DebtOf(state, quota, now);
  if (cost == 0) {
    return {.state = state, .used = static_cast<std::uint64_t>(debt), .reset = ToDuration(debt)};
  }
  if (cost > quota.burst) return Denied(state, debt, kNeverFits);
  const std::int64_t after = debt + static_cast<std::int64_t>(cost) * quota.interval;
  if (after > quota.tolerance) return Denied(state, debt, ToDuration(after - quota.tolerance));
  return {.state = static_cast<std::uint64_t>(now + after),
          .used = static_cast<std::uint64_t>(after),
          .reset = ToDuration(after)};
}

Step Refund(std::uint64_t state, const Quota& quota, std::int64_t now, std::uint64_t cost) {
  const std::int64_t debt = DebtOf(state, quota, now);
  const std::uint64_t units = std::min(cost, quota.burst);
  const std::int64_t after =
      std::max<std::int64_t>(0, debt - static_cast<std::int64_t>(units) * quota.interval);
  return {.state = after == 0 ? 0 : static_cast<std::uint64_t>(now + after),
          .used = static_cast<std::uint64_t>(after),
          .reset = ToDuration(after)};
}

std::uint64_t Remaining(const Quota& quota, std::uint64_t used) {
  if (quota.interval == 0) return 0;
  const auto room = static_cast<std::uint64_t>(quota.tolerance) - used;
  return room / static_cast<std::uint64_t>(quota.interval);
}

Duration NextUnit(const Quota& quota, std::uint64_t used) {
  if (quota.interval == 0 || used == 0) return {};
  const auto room = static_cast<std::int64_t>(static_cast<std::uint64_t>(quota.tolerance) - used);
  return ToDuration(quota.interval - room % quota.interval);
}

}  // namespace weir::gcra
