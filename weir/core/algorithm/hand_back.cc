#include "weir/core/algorithm/hand_back.h"

#include <algorithm>

#include "weir/base/wide.h"
#include "weir/core/algorithm/gcra.h"
#include "weir/core/algorithm/window.h"

namespace weir::hand_back {

std::uint64_t TicksOwed(const Share& share, std::uint64_t local, std::uint64_t seen,
                        std::int64_t now) {
  const auto at = static_cast<std::uint64_t>(now);
  const std::uint64_t base = std::max(seen, at);
  if (local <= base) return 0;
  return static_cast<std::uint64_t>(static_cast<Wide>(local - base) * share.part / share.whole);
}

Step AddTicks(std::uint64_t state, const Quota& quota, std::int64_t now, std::uint64_t ticks) {
  const auto most = static_cast<std::uint64_t>(now + quota.tolerance);
  const std::uint64_t base = std::max(state, static_cast<std::uint64_t>(now));
  if (base >= most || ticks == 0) return gcra::Charge(state, quota, now, 0);
  return gcra::Charge(base + std::min(ticks, most - base), quota, now, 0);
}

Step AddToWindow(std::uint64_t state, const Quota& quota, WallTime now, std::uint64_t units,
                 WallTime admitted, bool capped) {
  const WindowSpan span = WindowAt(quota, now);
  const std::uint32_t name = WindowState::NameOf(span.end, WindowState::Log2Of(quota));
  const std::uint64_t count = WindowState(state).CountIn(name);
  Step step{.state = state, .used = count, .reset = span.end - now};
  const bool same = admitted == WallTime{} || WindowAt(quota, admitted) == span;
  const std::uint64_t most = capped ? quota.limit : WindowState::kMostCount;
  if (!same || units == 0 || count >= most) return step;
  step.used = count + std::min(units, most - count);
  step.state = WindowState(name, step.used).bits();
  return step;
}

}  // namespace weir::hand_back
