#include "redis/script_numbers.h"

#include <algorithm>

#include "weir/core/algorithm/fixed_window.h"
#include "weir/core/algorithm/gcra.h"
#include "weir/core/algorithm/sliding_window.h"
#include "weir/core/algorithm/window.h"
#include "weir/core/shared_quota.h"

namespace weir::redis {
namespace {

constexpr double kNeverFitsCost = 9007199254740992.0;  // 2^53: above every tolerance.
constexpr std::int64_t kCalendarLife = 32LL * 86'400;

// From 1970 to SharedTicks::kOrigin.
constexpr std::int64_t kOriginTicks =
    SharedTicks::kOrigin.time_since_epoch().count() / 1000 * SharedTicks::kPerMicro;

std::int64_t SecondsIn(std::int64_t ticks) {
  return ticks / SharedTicks::kPerSecond + 2;  // Rounded up, and one more to be sure.
}

std::int64_t ToleranceTicks(const Quota& quota) {
  return SharedInterval(quota) * static_cast<std::int64_t>(quota.burst);
}

Outcome OutcomeFrom(const Step& step) {
  Outcome outcome;
  outcome.allowed = step.allowed;
  outcome.used = step.used;
  outcome.retry = step.retry;
  outcome.reset = step.reset;
  outcome.next = step.next;
  outcome.before = step.before;
  return outcome;
}

Outcome BucketOutcome(const Hit& hit, bool allowed, std::int64_t debt) {
  Quota shared = *hit.quota;
  shared.interval = SharedInterval(*hit.quota) * SharedTicks::kQuotaTicks;
  shared.tolerance = ToleranceTicks(*hit.quota) * SharedTicks::kQuotaTicks;
  const auto state = static_cast<std::uint64_t>(debt * SharedTicks::kQuotaTicks);
  Outcome outcome = OutcomeFrom(gcra::Charge(state, shared, 0, allowed ? 0 : hit.cost));
  outcome.used = UsedOfShared(*hit.quota, static_cast<std::uint64_t>(debt));
  return outcome;
}

}  // namespace

ScriptQuota ScriptQuotaOf(const Quota& quota) {
  if (quota.algorithm == Algorithm::kTokenBucket) {
    const std::int64_t tolerance = ToleranceTicks(quota);
    return {.algorithm = 0,
            .limit = static_cast<double>(tolerance),
            .life = static_cast<double>(SecondsIn(tolerance))};
  }
  ScriptQuota out{.limit = static_cast<double>(quota.limit)};
  if (quota.calendar) {
    out.algorithm = 3;
    out.life = static_cast<double>(kCalendarLife);
    return out;
  }
  const bool sliding = quota.algorithm == Algorithm::kSlidingWindow;
  const std::int64_t window = SharedTicks::TicksIn(quota.window);
  out.algorithm = sliding ? 2 : 1;
  out.window = static_cast<double>(window);
  out.shift = static_cast<double>(kOriginTicks % (2 * window));
  out.life = static_cast<double>(SecondsIn(sliding ? 2 * window : window));
  return out;
}

double ScriptCostOf(const Hit& hit) {
  const Quota& quota = *hit.quota;
  if (quota.algorithm != Algorithm::kTokenBucket) {
    return static_cast<double>(std::min<std::uint64_t>(hit.cost, WindowState::kMostCount));
  }
  if (hit.purpose == Purpose::kHandBack) {
    // Rounded up: what was admitted is never forgotten.
    return static_cast<double>(hit.cost / SharedTicks::kQuotaTicks +
                               (hit.cost % SharedTicks::kQuotaTicks != 0 ? 1 : 0));
  }
  if (!hit.refund && hit.cost > quota.burst) return kNeverFitsCost;
  const auto units = static_cast<std::int64_t>(std::min(hit.cost, quota.burst));
  return static_cast<double>(units * SharedInterval(quota));
}

ScriptEpoch ScriptEpochOf(const Hit& hit) {
  const auto& policy = hit.rule->on_store_failure;
  if (!policy || policy->split != ShareSplit::kLearned) return {};
  const Duration epoch =
      std::clamp<Duration>(hit.quota->window, std::chrono::seconds(10), std::chrono::minutes(1));
  const std::int64_t ticks = SharedTicks::TicksIn(epoch);
  return {.length = static_cast<double>(ticks), .shift = static_cast<double>(kOriginTicks % ticks)};
}

Outcome OutcomeOf(const Hit& hit, bool add, std::int64_t level, std::int64_t previous,
                  std::int64_t tick) {
  const Quota& quota = *hit.quota;
  const bool allowed = level >= 0;
  const std::int64_t value = allowed ? level : -1 - level;
  if (quota.algorithm == Algorithm::kTokenBucket) return BucketOutcome(hit, allowed, value);

  const WallTime now = SharedTicks::WallOf(tick);
  const WindowSpan span = WindowAt(quota, now);
  const std::uint32_t log2 = WindowState::Log2Of(quota);
  const WindowState current(WindowState::NameOf(span.end, log2), static_cast<std::uint64_t>(value));
  const std::uint64_t cost = allowed || add ? 0 : hit.cost;
  if (quota.algorithm == Algorithm::kSlidingWindow) {
    const WindowState before(WindowState::NameOf(span.start, log2),
                             static_cast<std::uint64_t>(previous));
    return OutcomeFrom(sliding_window::Charge(before.bits(), current.bits(), quota, now, cost));
  }
  Outcome outcome = OutcomeFrom(fixed_window::Charge(current.bits(), quota, now, cost));
  if (add && !allowed) {
    outcome.allowed = false;
    outcome.retry = hit.cost > quota.limit ? kNeverFits : outcome.reset;
  }
  return outcome;
}

bool PlausibleLevel(const Quota& quota, std::int64_t level) {
  const std::int64_t value = level >= 0 ? level : -1 - level;
  if (quota.algorithm == Algorithm::kTokenBucket) return value <= ToleranceTicks(quota);
  return value <= static_cast<std::int64_t>(WindowState::kMostCount);
}

}  // namespace weir::redis
