#include "weir/limiter/held_hits.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "weir/base/hash.h"
#include "weir/core/algorithm/gcra.h"
#include "weir/core/algorithm/window.h"

namespace weir::held_hits {
namespace {

// What a denial is remembered under.  Windows belong to the wall clock: one that steps into another
// window leaves the denial behind.  Reference ids name the window already.
std::uint64_t HeldIdOf(const Hit& hit, Charging charging, WallTime now) {
  if (charging == Charging::kEach || hit.quota->algorithm == Algorithm::kTokenBucket) return hit.id;
  const WallTime end = WindowAt(*hit.quota, now).end;
  const std::uint64_t id =
      MixHash(hit.id, static_cast<std::uint64_t>(end.time_since_epoch().count()));
  return id != 0 ? id : 1;
}

bool MayBeHeld(const Hit& hit, Charging charging) {
  if (hit.refund) return false;
  return charging == Charging::kEach || (hit.cost > 0 && hit.not_enforced == NotEnforced::kNo);
}

// The level of a bucket whose next unit is `left` away, and what `cost` is told there.
Outcome BucketOutcome(const Hit& hit, Duration left) {
  const Quota& quota = *hit.quota;
  const std::int64_t ticks = left.count() > quota.interval / Quota::kTicksPerNano
                                 ? quota.interval
                                 : left.count() * Quota::kTicksPerNano;
  const auto used = static_cast<std::uint64_t>(quota.tolerance - quota.interval + ticks);
  const Step step = gcra::Charge(used, quota, 0, hit.cost);
  return {.used = step.used, .retry = step.retry, .reset = step.reset};
}

Outcome WindowOutcome(const Hit& hit, Charging charging, Duration left, WallTime now) {
  const Quota& quota = *hit.quota;
  const WindowSpan window = WindowAt(quota, now);
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() - quota.limit;
  const bool sliding = quota.algorithm == Algorithm::kSlidingWindow;
  // A larger cost may have to wait longer in a sliding window; how much longer is not remembered.
  return {
      .used = charging == Charging::kEach ? quota.limit + std::min(hit.cost, most) : quota.limit,
      .retry = hit.cost > quota.limit ? kNeverFits
               : sliding              ? left
                                      : window.end - now,
      .reset = window.end - now + (sliding ? window.length() : Duration{}),
      .next = sliding ? left : Duration{}};
}

Outcome HeldOutcome(const Hit& hit, Charging charging, Duration left, WallTime now) {
  Outcome outcome = hit.quota->algorithm == Algorithm::kTokenBucket
                        ? BucketOutcome(hit, left)
                        : WindowOutcome(hit, charging, left, now);
  outcome.allowed = false;
  outcome.basis = Basis::kHeld;
  return outcome;
}

// Under all-or-nothing one denial answers for every hit but refunds, which are given in any case.
void TakeAll(Check& check) {
  const auto is_refund = [](const Hit& hit) { return hit.refund; };
  std::size_t denied = check.held.size();
  std::size_t place = check.hits.size();
  const auto refunds = std::count_if(check.hits.begin(), check.hits.end(), is_refund);
  // From the end, so that the denied ones move to their places without a second list.
  std::size_t to = place - static_cast<std::size_t>(refunds);
  check.held.resize(to);
  while (place-- > 0) {
    const Hit& hit = check.hits[place];
    if (hit.refund) continue;
    --to;
    if (denied > 0 && check.held[denied - 1].place == place) {
      check.held[to] = check.held[--denied];
    } else {
      check.held[to] = {static_cast<std::uint32_t>(place), hit, {.basis = Basis::kHeld}};
    }
  }
  std::erase_if(check.hits, std::not_fn(is_refund));
}

}  // namespace

void Take(HeldDenials& denials, const Now& now, Check& check, HeldCounts& counts) {
  check.committed = now;
  check.held.reserve(check.hits.size());  // Like the check's other lists: grown once.
  for (const Hit& hit : check.hits) {
    if (hit.refund) denials.Forget(HeldIdOf(hit, check.charging, now.wall));
  }
  for (std::uint32_t i = 0; i < check.hits.size(); ++i) {
    const Hit& hit = check.hits[i];
    if (!MayBeHeld(hit, check.charging)) continue;
    ++counts.lookups;
    const Duration left = denials.Left(HeldIdOf(hit, check.charging, now.wall), now.steady);
    if (left <= Duration{}) continue;
    ++counts.hits;
    check.held.push_back({i, hit, HeldOutcome(hit, check.charging, left, now.wall)});
  }
  if (check.held.empty()) return;
  if (check.charging == Charging::kAllOrNothing) return TakeAll(check);
  for (std::size_t i = check.held.size(); i-- > 0;) {
    check.hits.erase(check.hits.begin() + check.held[i].place);
  }
  if (check.standstill == Standstill::kWhenOver) check.standstill = Standstill::kNow;
}

void PutBack(Check& check) {
  for (const HeldHit& held : check.held) {
    check.hits.insert(check.hits.begin() + held.place, held.hit);
    check.outcomes.insert(check.outcomes.begin() + held.place, held.outcome);
  }
  check.held.clear();
}

void Remember(HeldDenials& denials, const Check& check) {
  for (std::size_t i = 0; i < check.hits.size(); ++i) {
    const Hit& hit = check.hits[i];
    const Outcome& outcome = check.outcomes[i];
    if (hit.refund) {
      // Again: a denial of the same batch, given before the refund, may have been remembered since.
      denials.Forget(HeldIdOf(hit, check.charging, check.committed.wall));
      continue;
    }
    const bool denied = !outcome.allowed && outcome.basis == Basis::kStore;
    if (!denied || outcome.remaining > 0) continue;
    if (check.charging != Charging::kEach && hit.not_enforced != NotEnforced::kNo) continue;
    denials.Hold(HeldIdOf(hit, check.charging, check.committed.wall),
                 check.committed.steady + outcome.next, check.committed.steady);
  }
}

}  // namespace weir::held_hits
