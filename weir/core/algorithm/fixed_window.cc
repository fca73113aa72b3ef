#include "weir/core/algorithm/fixed_window.h"

#include <algorithm>

namespace weir::fixed_window {
namespace {

struct Read {
  WindowSpan span;
  std::uint32_t name = 0;
  std::uint64_t count = 0;
  Duration left{};
};

Read Open(std::uint64_t state, const Quota& quota, WallTime now) {
  Read r;
  r.span = WindowAt(quota, now);
  r.name = WindowState::NameOf(r.span.end, WindowState::Log2Of(quota));
  r.count = WindowState(state).CountIn(r.name);
  r.left = r.span.end - now;
  return r;
}

Step Counted(const Read& r, std::uint64_t count, bool allowed, Duration retry) {
  return {.allowed = allowed,
          .state = count == 0 ? 0 : WindowState(r.name, count).bits(),
          .used = count,
          .retry = retry,
          .reset = r.left};
}

std::uint64_t SaturatingAdd(std::uint64_t count, std::uint64_t cost) {
  return count + std::min(cost, WindowState::kMostCount - count);
}

}  // namespace

Step Charge(std::uint64_t state, const Quota& quota, WallTime now, std::uint64_t cost) {
  const Read r = Open(state, quota, now);
  if (cost == 0) return {.state = state, .used = r.count, .reset = r.left};
  if (cost > quota.limit || r.count > quota.limit - cost) {
    return {.allowed = false,
            .state = state,
            .used = r.count,
            .retry = cost > quota.limit ? kNeverFits : r.left,
            .reset = r.left};
  }
  return Counted(r, r.count + cost, true, {});
}

Step Add(std::uint64_t state, const Quota& quota, WallTime now, std::uint64_t cost) {
  const Read r = Open(state, quota, now);
  const std::uint64_t count = SaturatingAdd(r.count, cost);
  const bool allowed = count <= quota.limit;
  const Duration retry = allowed ? Duration{} : cost > quota.limit ? kNeverFits : r.left;
  if (cost == 0) {
    return {.allowed = allowed, .state = state, .used = count, .retry = retry, .reset = r.left};
  }
  return Counted(r, count, allowed, retry);
}

Step Refund(std::uint64_t state, const Quota& quota, WallTime now, std::uint64_t cost,
            WallTime charged) {
  const Read r = Open(state, quota, now);
  const bool same = charged == WallTime{} || WindowAt(quota, charged) == r.span;
  if (!same || r.count == 0) return {.state = state, .used = r.count, .reset = r.left};
  return Counted(r, r.count - std::min(cost, r.count), true, {});
}

}  // namespace weir::fixed_window
