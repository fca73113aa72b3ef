#include "weir/failure/mode.h"

#include "weir/failure/jitter.h"

namespace weir {

FailureMode ModeOf(const FailurePolicy& policy, Cause cause, bool breaker_open, Duration outage) {
  FailureMode mode = policy.mode;
  const auto& own = policy.causes.at(static_cast<std::size_t>(cause));
  const auto& open = policy.causes.at(static_cast<std::size_t>(Cause::kBreakerOpen));
  if (own) {
    mode = *own;
  } else if (breaker_open && open) {
    mode = *open;
  }
  for (const FailureRung& rung : policy.then) {
    if (outage >= rung.after) mode = rung.mode;
  }
  return mode;
}

FailureMode ModeOf(const FailurePolicy& policy, Cause cause, bool breaker_open, Duration outage,
                   bool cold) {
  const FailureMode mode = ModeOf(policy, cause, breaker_open, outage);
  if (mode != FailureMode::kStatic || !cold) return mode;
  return policy.cold.value_or(FailureMode::kLocalShare);
}

Basis BasisOf(FailureMode mode) {
  switch (mode) {
    case FailureMode::kOpen:
      return Basis::kOpen;
    case FailureMode::kLocalShare:
      return Basis::kLocalShare;
    case FailureMode::kStatic:
      return Basis::kStatic;
    case FailureMode::kClosed:
    case FailureMode::kError:
      break;
  }
  return Basis::kClosed;
}

bool CountsAgainstNode(Cause cause) {
  switch (cause) {
    case Cause::kTimeout:
    case Cause::kRefused:
    case Cause::kReset:
    case Cause::kReadonly:
    case Cause::kLoading:
    case Cause::kClusterDown:
    case Cause::kMoved:
    case Cause::kOom:
      return true;
    case Cause::kNone:
    case Cause::kAuth:
    case Cause::kScript:
    case Cause::kProtocol:
    case Cause::kQueueFull:
    case Cause::kBreakerOpen:
      break;
  }
  return false;
}

Duration RetryAfterClosed(Duration until_probe, Duration outage, std::uint64_t random) {
  constexpr Duration kLeast = std::chrono::seconds(1);
  constexpr Duration kMost = std::chrono::seconds(30);
  const Duration spread = std::clamp<Duration>(outage / 2, kLeast, kMost - kLeast);
  return std::clamp(until_probe + JitterOf(random, spread), kLeast, kMost);
}

}  // namespace weir
