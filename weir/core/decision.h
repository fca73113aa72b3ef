#pragma once

#include <cstdint>
#include <string_view>

#include "weir/base/clock.h"
#include "weir/core/failure_policy.h"
#include "weir/core/rule.h"

namespace weir {

// What a decision rests on: by it, metrics and the simulator tell an outage from an ordinary
// denial.
enum class Basis : std::uint8_t {
  kNoRule,      // Nothing matched, or nothing that is counted.
  kStore,       // The store's count.
  kHeld,        // A denial of the store, remembered.
  kLocalShare,  // This instance's share of the limit.
  kOpen,
  kClosed,
  kStatic,
  kShed,    // Too much in flight.
  kBypass,  // Switched off by hand.
};

// "no_rule", "store", "held", "local_share", "open", "closed", "static", "shed", "bypass".
std::string_view NameOf(Basis basis);

enum class Verdict : std::uint8_t {
  kAllow,
  kDeny,         // Over a limit: 429.
  kUnavailable,  // No count and the rule fails closed, or shed: 503.
};

// Why a rule that was counted had no say of its own.
enum class NotEnforced : std::uint8_t {
  kNo,  // It had.
  kShadow,
  kPercent,  // `enforce: N%` leaves this key out.
  kKill,
  kSoft,  // quota_mode: denies only together with every other soft rule of the request.
};
std::string_view NameOf(NotEnforced why);  // "no", "shadow", "percent", "kill", "soft".

// A wait that never ends: the cost is above what the limit can ever grant.
inline constexpr Duration kNeverFits = Duration::max();

// The answer to one request.  A plain value, except that `rule` points into the policy that
// decided: use it before the check is reused.
struct [[nodiscard]] Decision {
  Verdict verdict = Verdict::kAllow;
  Basis basis = Basis::kNoRule;
  const Rule* rule = nullptr;    // The binding one: it denied, or it has the least room left.
  const Quota* quota = nullptr;  // Its quota, or the request's own limit.
  std::uint64_t limit = 0;
  std::uint64_t remaining = 0;  // Units the binding rule would still grant at once.
  Duration retry_after{};       // Until the same request could pass; zero if it passed; kNeverFits.
  Duration next{};              // Until at least one more unit is free; zero when full.
  Duration reset_after{};       // Until the limit is untouched again.
  bool would_deny = false;      // A rule that is not enforced would have denied.

  bool allowed() const { return verdict == Verdict::kAllow; }
  bool operator==(const Decision&) const = default;
};

}  // namespace weir
