// Charging a Mirror: the algorithms' own steps, run with a share of the quota.

#include <algorithm>

#include "weir/core/algorithm/fixed_window.h"
#include "weir/core/algorithm/scaled_gcra.h"
#include "weir/core/algorithm/sliding_window.h"
#include "weir/core/algorithm/window.h"
#include "weir/failure/mirror.h"

namespace weir {
namespace {

std::uint64_t Add(std::uint64_t count, std::uint64_t units) {
  constexpr std::uint64_t kMost = WindowState::kMostCount;
  return count + std::min(units, kMost - std::min(count, kMost));
}

Duration ToDuration(std::int64_t ticks) {
  return Duration((ticks + Quota::kTicksPerNano - 1) / Quota::kTicksPerNano);
}

// In the policy's terms: `used` leaves exactly what the share has left.
Outcome Told(const Quota& quota, const Step& step, const Share& share) {
  Outcome out{.allowed = step.allowed, .retry = step.retry, .reset = step.reset};
  const auto debt = static_cast<std::int64_t>(step.used);
  const std::uint64_t left = std::min(gcra::RemainingScaled(quota, debt, share), quota.burst);
  out.used = static_cast<std::uint64_t>(quota.tolerance) -
             left * static_cast<std::uint64_t>(quota.interval);
  const std::int64_t price = gcra::PriceOf(quota, 1, share);
  const std::int64_t room = quota.tolerance - static_cast<std::int64_t>(left) * price;
  out.next = ToDuration(std::max<std::int64_t>(0, debt - std::max<std::int64_t>(0, room - price)));
  return out;
}

// The windows' counts as the share sees them.
struct LocalWindows {
  Quota quota;  // With the share's cap for a limit.
  std::uint64_t previous = 0;
  std::uint64_t current = 0;
  WindowSpan span;
};

std::uint64_t StateOf(const Quota& quota, WallTime end, std::uint64_t count) {
  return WindowState(WindowState::NameOf(end, WindowState::Log2Of(quota)), count).bits();
}

Step StepOf(const LocalWindows& w, WallTime now, std::uint64_t cost) {
  const std::uint64_t current = StateOf(w.quota, w.span.end, w.current);
  if (w.quota.algorithm == Algorithm::kFixedWindow) {
    return fixed_window::Charge(current, w.quota, now, cost);
  }
  return sliding_window::Charge(StateOf(w.quota, w.span.start, w.previous), current, w.quota, now,
                                cost);
}

}  // namespace

Outcome Mirror::ChargeBucket(Entry& entry, const Hit& hit, const Portion& portion,
                             const Moment& now, LocalCharge how, bool ambiguous) {
  const Quota& quota = *hit.quota;
  const Step step = how == LocalCharge::kCount
                        ? gcra::AddScaled(entry.own, quota, now.ticks, hit.cost, portion.share)
                        : gcra::ChargeScaled(entry.own, quota, now.ticks, hit.cost, portion.share);
  if (how != LocalCharge::kLook && step.allowed && step.state != entry.own) {
    const auto at = static_cast<std::uint64_t>(now.ticks);
    if (ambiguous) {
      const std::uint64_t moved = step.state - std::max(entry.own, at);
      entry.seen = std::max(entry.seen, at) + moved;
    }
    entry.own = step.state;
  }
  if (how == LocalCharge::kLook && step.allowed) {
    return Told(quota, gcra::ChargeScaled(entry.own, quota, now.ticks, 0, portion.share),
                portion.share);
  }
  return Told(quota, step, portion.share);
}

Outcome Mirror::ChargeWindow(Entry& entry, const Hit& hit, const Portion& portion,
                             const Moment& now, LocalCharge how, bool ambiguous) {
  Roll(entry, *hit.quota, now.store);
  // Our idea of the store's clock may have moved back across an edge that was passed already.
  const WallTime wall = std::max(now.store, WallTime(Duration(entry.window)));
  const std::uint64_t limit = hit.quota->limit;
  LocalWindows w{.quota = *hit.quota, .span = WindowAt(*hit.quota, wall)};
  const std::uint64_t cap = CapOf(limit, portion.share, portion.strict);
  w.quota.limit = w.quota.burst = cap;
  if (entry.seen != 0) {
    const std::uint64_t left = limit - std::min(limit, entry.seen);
    w.current = cap - std::min(cap, PartOf(left, portion.share));
  }
  w.current = Add(Add(w.current, entry.own), entry.doubt);
  w.previous = Add(PartOf(entry.before, portion.share), entry.own_before);

  Step step = StepOf(w, wall, how == LocalCharge::kCount ? 0 : hit.cost);
  if (how == LocalCharge::kLook && step.allowed) step = StepOf(w, wall, 0);
  if (how != LocalCharge::kLook && step.allowed) {
    std::uint64_t& counted = ambiguous ? entry.doubt : entry.own;
    counted = Add(counted, hit.cost);
    if (how == LocalCharge::kCount) {
      w.current = Add(w.current, hit.cost);
      step = StepOf(w, wall, 0);
    }
  }
  const std::uint64_t left = cap - std::min(cap, step.used);
  Outcome out{.allowed = step.allowed,
              .used = limit - std::min(limit, left),
              .retry = step.retry,
              .reset = step.reset,
              .next = step.next};
  if (w.quota.algorithm == Algorithm::kFixedWindow && step.used != 0) out.next = step.reset;
  // Above this instance's cap, but not above the limit: the fleet may grant it again some day.
  if (!step.allowed && step.retry == kNeverFits && hit.cost <= limit) out.retry = w.span.end - wall;
  return out;
}

}  // namespace weir
