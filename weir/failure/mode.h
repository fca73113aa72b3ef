#pragma once

#include <algorithm>
#include <cstdint>

#include "weir/base/clock.h"
#include "weir/core/decision.h"
#include "weir/core/failure_policy.h"

namespace weir {

// Which of a rule's modes acts, for a hit without a count.  A rung that has been reached goes
// before the cause's own mode, and that before the rule's; kill and drill are asked elsewhere,
// before all.
//
// `cause` is why there is no count; while the breaker is open, why it opened, so that `causes:
// {oom: closed}` holds for all of an outage.  What `causes` says of breaker_open acts then for
// causes that it does not name.  `outage` is how long the rule has been without a count; see
// OutageTimers.  Pure.
FailureMode ModeOf(const FailurePolicy& policy, Cause cause, bool breaker_open, Duration outage);

// As above, and `static` of an instance that is cold becomes what the rule says for that, by
// default local_share.
FailureMode ModeOf(const FailurePolicy& policy, Cause cause, bool breaker_open, Duration outage,
                   bool cold);

// What a decision in this mode rests on.
Basis BasisOf(FailureMode mode);

// Whether the node is at fault and its breaker is told.  Script, auth and protocol errors are ours;
// queue_full never left this process.
bool CountsAgainstNode(Cause cause);

// How far back a denial makes a key `caught`, and for how long an instance must have been healthy
// not to be cold: min(1 h, max(10 s, window)).
constexpr Duration LookBack(Duration window) {
  return std::min<Duration>(std::chrono::hours(1),
                            std::max<Duration>(std::chrono::seconds(10), window));
}

// How a hit that fails closed says when to come back: at the next probe, spread by a part of the
// outage's age, so that those who were turned away do not return as one; in [1 s, 30 s].
// `random` is 64 random bits.
Duration RetryAfterClosed(Duration until_probe, Duration outage, std::uint64_t random);

}  // namespace weir
