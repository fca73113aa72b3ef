#include "weir/core/algorithm/gcra.h"

namespace weir::gcra {

Step Refund(std::uint64_t state, const Quota& quota, std::int64_t now, std::uint64_t cost) {
  const std::int64_t debt = detail::DebtOf(state, quota, now);
  const std::uint64_t units = std::min(cost, quota.burst);
  const std::int64_t after =
      std::max<std::int64_t>(0, debt - static_cast<std::int64_t>(units) * quota.interval);
  return {.state = after == 0 ? 0 : static_cast<std::uint64_t>(now + after),
          .used = static_cast<std::uint64_t>(after),
          .reset = detail::ToDuration(after)};
}

Room RoomOf(const Quota& quota, std::uint64_t used) {
  if (quota.interval == 0) return {};
  const auto room = static_cast<std::uint64_t>(quota.tolerance) - used;
  const auto interval = static_cast<std::uint64_t>(quota.interval);
  if (used == 0) return {.units = room / interval};
  return {.units = room / interval,
          .next = detail::ToDuration(static_cast<std::int64_t>(interval - room % interval))};
}

std::uint64_t Remaining(const Quota& quota, std::uint64_t used) {
  return RoomOf(quota, used).units;
}

}  // namespace weir::gcra
