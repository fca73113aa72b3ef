#include "weir/core/algorithm/scaled_gcra.h"

#include <algorithm>

#include "weir/base/wide.h"

namespace weir::gcra {
namespace {

Duration ToDuration(std::int64_t ticks) {
  return Duration((ticks + Quota::kTicksPerNano - 1) / Quota::kTicksPerNano);
}

std::int64_t DebtOf(std::uint64_t state, std::int64_t now) {
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(state) - now, 0, kMostTicks);
}

Step Standing(std::uint64_t state, std::int64_t debt) {
  return {.state = state, .used = static_cast<std::uint64_t>(debt), .reset = ToDuration(debt)};
}

Step Moved(std::int64_t now, std::int64_t debt) {
  return Standing(debt == 0 ? 0 : static_cast<std::uint64_t>(now + debt), debt);
}

}  // namespace

std::int64_t PriceOf(const Quota& quota, std::uint64_t cost, const Share& share) {
  if (cost == 0) return 0;
  if (share.part == 0) return kMostTicks;
  const Wide most = kMostTicks;
  const Wide full = static_cast<Wide>(cost) * static_cast<std::uint64_t>(quota.interval);
  if (full >= most) return kMostTicks;
  const Wide price = (full * share.whole + share.part - 1) / share.part;
  return static_cast<std::int64_t>(std::min(price, most));
}

Step ChargeScaled(std::uint64_t state, const Quota& quota, std::int64_t now, std::uint64_t cost,
                  const Share& share) {
  const std::int64_t debt = DebtOf(state, now);
  Step step = Standing(state, debt);
  if (cost == 0) return step;
  if (cost > quota.burst || share.part == 0) {
    step.allowed = false;
    step.retry = kNeverFits;
    return step;
  }
  const std::int64_t price = PriceOf(quota, cost, share);
  // What must not be exceeded beforehand: nothing at all, where the price is above the local burst.
  const std::int64_t room = std::max<std::int64_t>(0, quota.tolerance - price);
  if (debt > room) {
    step.allowed = false;
    step.retry = ToDuration(debt - room);
    return step;
  }
  return Moved(now, std::min(debt + price, kMostTicks));
}

Step AddScaled(std::uint64_t state, const Quota& quota, std::int64_t now, std::uint64_t cost,
               const Share& share) {
  const std::int64_t debt = DebtOf(state, now);
  const std::int64_t price = PriceOf(quota, cost, share);
  const std::int64_t after = std::max(debt, std::min(debt + price, quota.tolerance));
  return after == debt ? Standing(state, debt) : Moved(now, after);
}

std::uint64_t RemainingScaled(const Quota& quota, std::int64_t debt, const Share& share) {
  if (quota.interval == 0 || quota.burst == 0 || share.part == 0) return 0;
  const std::int64_t price = PriceOf(quota, 1, share);
  if (debt == 0) return std::max<std::int64_t>(1, quota.tolerance / price);
  return debt >= quota.tolerance ? 0 : static_cast<std::uint64_t>((quota.tolerance - debt) / price);
}

}  // namespace weir::gcra
