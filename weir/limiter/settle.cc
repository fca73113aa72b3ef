#include "weir/limiter/settle.h"

#include <algorithm>

#include "weir/core/algorithm/gcra.h"

namespace weir {
namespace {

bool IsSoft(const Check& check, const Hit& hit) {
  return check.charging == Charging::kEach ? hit.rule->quota_mode
                                           : hit.not_enforced == NotEnforced::kSoft;
}

// Counted, but without a say: shadow, percent, kill.
bool IsMute(const Check& check, const Hit& hit) {
  if (check.charging == Charging::kEach) return hit.rule->shadow_mode;
  return hit.not_enforced != NotEnforced::kNo && hit.not_enforced != NotEnforced::kSoft;
}

void Bind(Decision& decision, const Hit& hit, const Outcome& outcome) {
  decision.rule = hit.rule;
  decision.quota = hit.quota;
  decision.basis = outcome.basis;
  decision.limit = hit.quota->limit;
  decision.remaining = outcome.remaining;
  decision.retry_after = outcome.retry;
  decision.next = outcome.next;
  decision.reset_after = outcome.reset;
}

// The reference service's arithmetic, at most the limit: a float's digits may round it up, and the
// environment may name any ratio.
std::uint64_t NearOf(std::uint64_t limit, float near_ratio) {
  const float near = static_cast<float>(limit) * near_ratio;
  if (!(near > 0)) return 0;
  if (near >= static_cast<float>(limit)) return limit;
  return static_cast<std::uint64_t>(near);
}

// The denied hit with the longest wait.  One that was counted goes before one that fails closed:
// this caller is over a limit, whatever else is out of order.
struct LongestWait {
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::size_t hit = kNone;
  Duration wait{};
  bool counted = false;

  void Offer(std::size_t i, const Outcome& outcome) {
    const bool counts = outcome.basis != Basis::kClosed;
    if (hit != kNone && (counts != counted ? counted : outcome.retry <= wait)) return;
    hit = i;
    wait = outcome.retry;
    counted = counts;
  }
};

}  // namespace

void CompleteLevel(const Hit& hit, Outcome& outcome) {
  const Quota& quota = *hit.quota;
  const bool derived = outcome.basis == Basis::kStore;  // Local counts say it themselves.
  switch (quota.algorithm) {
    case Algorithm::kTokenBucket: {
      const gcra::Room room = gcra::RoomOf(quota, outcome.used);
      outcome.remaining = room.units;
      if (derived) outcome.next = room.next;
      return;
    }
    case Algorithm::kFixedWindow:
      if (derived) outcome.next = outcome.used > 0 ? outcome.reset : Duration{};
      break;
    case Algorithm::kSlidingWindow:
      break;
  }
  outcome.remaining = quota.limit - std::min(quota.limit, outcome.used);
}

Decision Settle(Check& check) {
  constexpr std::size_t kNone = LongestWait::kNone;
  Decision decision;
  LongestWait hard;
  LongestWait soft;
  bool any_soft = false;
  bool all_soft_deny = true;
  std::size_t tightest = kNone;
  for (std::size_t i = 0; i < check.hits.size(); ++i) {
    const Hit& hit = check.hits[i];
    Outcome& outcome = check.outcomes[i];
    CompleteLevel(hit, outcome);
    const bool is_soft = IsSoft(check, hit);
    const bool mute = IsMute(check, hit);
    any_soft = any_soft || is_soft;
    if (is_soft && (outcome.allowed || mute)) all_soft_deny = false;
    if (mute) {
      decision.would_deny = decision.would_deny || !outcome.allowed;
      continue;
    }
    if (hit.refund) continue;
    if (!outcome.allowed) (is_soft ? soft : hard).Offer(i, outcome);
    if (tightest == kNone || outcome.remaining < check.outcomes[tightest].remaining) tightest = i;
  }
  std::size_t denied = hard.hit;
  if (denied == kNone && any_soft && all_soft_deny) denied = soft.hit;
  if (denied != kNone) {
    Bind(decision, check.hits[denied], check.outcomes[denied]);
    decision.verdict = decision.basis == Basis::kClosed ? Verdict::kUnavailable : Verdict::kDeny;
  } else if (tightest != kNone) {
    Bind(decision, check.hits[tightest], check.outcomes[tightest]);
    decision.retry_after = {};
  }
  return decision;
}

void StatusesOf(const Check& check, std::vector<DescriptorStatus>& out) {
  out.clear();
  for (const DescriptorMatch& match : check.matches) {
    DescriptorStatus& status = out.emplace_back();
    status.unlimited = match.kind == DescriptorMatch::Kind::kUnlimited;
    if (match.kind != DescriptorMatch::Kind::kCounted) continue;
    const Hit& hit = check.hits[match.hit];
    const Outcome& outcome = check.outcomes[match.hit];
    status.rule = hit.rule;
    status.quota = hit.quota;
    status.reset = outcome.reset;
    status.retry = outcome.retry;
    status.over = !outcome.allowed && !IsMute(check, hit);
    if (outcome.allowed) status.remaining = outcome.remaining;
  }
}

Attribution AttributionOf(const Hit& hit, const Outcome& outcome, Charging charging,
                          float near_ratio) {
  Attribution a;
  if (hit.refund) return a;
  const std::uint64_t hits = hit.cost;
  a.total = hits;
  const std::uint64_t limit = hit.quota->capacity();
  const std::uint64_t near = NearOf(limit, near_ratio);
  // What the counter stood at once the hits were in: a denied native hit was never added.
  std::uint64_t after = limit - std::min(limit, outcome.remaining);
  if (charging == Charging::kEach) {
    after = outcome.used;
  } else if (!outcome.allowed) {
    a.over = hits;
    if (hit.not_enforced == NotEnforced::kShadow) a.shadow = hits;
    return a;
  }
  const std::uint64_t before = outcome.added ? after - std::min(after, hits) : after;
  if (after <= limit) {
    a.within = hits;
    if (after > near) a.near = before >= near ? hits : after - near;
  } else if (before >= limit) {
    a.over = hits;
  } else {
    a.over = after - limit;
    a.near = limit - std::max(near, before);
  }
  if (after > limit && hit.rule->shadow_mode) a.shadow = before >= limit ? hits : after - limit;
  return a;
}

}  // namespace weir
