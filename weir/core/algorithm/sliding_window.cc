#include "weir/core/algorithm/sliding_window.h"

#include <algorithm>

#include "weir/base/wide.h"

namespace weir::sliding_window {
namespace {

// One reading of both windows: P, C, W and e in the formulas below.
struct Read {
  WindowSpan span;
  std::uint32_t name = 0;
  std::uint64_t previous = 0;
  std::uint64_t current = 0;
  std::uint64_t length = 0;   // Of a window, ns.
  std::uint64_t overlap = 0;  // Of the previous window with the last `length` ns: W - e.
};

Read Open(std::uint64_t previous, std::uint64_t current, const Quota& quota, WallTime now) {
  const std::uint32_t log2 = WindowState::Log2Of(quota);
  Read r;
  r.span = WindowAt(quota, now);
  r.name = WindowState::NameOf(r.span.end, log2);
  r.previous = WindowState(previous).CountIn(WindowState::NameOf(r.span.start, log2));
  r.current = WindowState(current).CountIn(r.name);
  r.length = static_cast<std::uint64_t>(r.span.length().count());
  r.overlap = static_cast<std::uint64_t>((r.span.end - now).count());
  return r;
}

std::uint64_t Estimate(const Read& r) {
  const Wide weighted = static_cast<Wide>(r.previous) * r.overlap;
  return r.current + static_cast<std::uint64_t>((weighted + r.length - 1) / r.length);
}

// P x (W - e) <= (L - n - C) x W, without dividing.
bool Fits(const Read& r, std::uint64_t limit, std::uint64_t cost) {
  if (cost > limit || r.current > limit - cost) return false;
  const Wide weighted = static_cast<Wide>(r.previous) * r.overlap;
  return weighted <= static_cast<Wide>(limit - cost - r.current) * r.length;
}

// room x W / count: the overlap at which `count` weighs no more than `room`.
std::uint64_t OverlapThatFits(std::uint64_t room, std::uint64_t length, std::uint64_t count) {
  return static_cast<std::uint64_t>(static_cast<Wide>(room) * length / count);
}

// Until `cost` fits, if nobody else spends.
Duration WaitFor(const Read& r, std::uint64_t limit, std::uint64_t cost) {
  if (cost > limit) return kNeverFits;
  if (Fits(r, limit, cost)) return {};
  std::uint64_t wait = r.overlap;
  if (r.current <= limit - cost) {
    wait -= OverlapThatFits(limit - cost - r.current, r.length, r.previous);
  } else {
    // Only once the current window has become the previous one, and has faded enough.
    const std::uint64_t fits = OverlapThatFits(limit - cost, r.length, r.current);
    wait += r.length - std::min(fits, r.length);
  }
  return Duration(static_cast<std::int64_t>(wait));
}

Step Describe(const Read& r, const Quota& quota, std::uint64_t state) {
  Step step;
  step.state = state;
  step.used = Estimate(r);
  step.before = step.used - r.current;
  const std::uint64_t left = r.overlap;
  step.reset = Duration(static_cast<std::int64_t>(r.current > 0    ? left + r.length
                                                  : r.previous > 0 ? left
                                                                   : 0));
  const std::uint64_t remaining = quota.limit - std::min(quota.limit, step.used);
  if (remaining < quota.limit) step.next = WaitFor(r, quota.limit, remaining + 1);
  return step;
}

}  // namespace

Step Charge(std::uint64_t previous, std::uint64_t current, const Quota& quota, WallTime now,
            std::uint64_t cost) {
  Read r = Open(previous, current, quota, now);
  if (cost == 0) return Describe(r, quota, current);
  if (!Fits(r, quota.limit, cost)) {
    Step step = Describe(r, quota, current);
    step.allowed = false;
    step.retry = WaitFor(r, quota.limit, cost);
    return step;
  }
  r.current += cost;
  return Describe(r, quota, WindowState(r.name, r.current).bits());
}

Step Refund(std::uint64_t previous, std::uint64_t current, const Quota& quota, WallTime now,
            std::uint64_t cost, WallTime charged) {
  Read r = Open(previous, current, quota, now);
  const bool same = charged == WallTime{} || WindowAt(quota, charged) == r.span;
  if (!same || r.current == 0) return Describe(r, quota, current);
  r.current -= std::min(cost, r.current);
  return Describe(r, quota, r.current == 0 ? 0 : WindowState(r.name, r.current).bits());
}

}  // namespace weir::sliding_window
