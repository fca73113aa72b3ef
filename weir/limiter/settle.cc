#include "weir/limiter/settle.h"

#include <algorithm>
#include <cmath>

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
  const Level level = LevelOf(hit, outcome);
  decision.rule = hit.rule;
  decision.quota = hit.quota;
  decision.basis = outcome.basis;
  decision.limit = hit.quota->limit;
  decision.remaining = level.remaining;
  decision.retry_after = level.retry;
  decision.next = level.next;
  decision.reset_after = level.reset;
}

// The denied hit with the longest wait, soft or hard.  One that was counted goes before one that
// fails closed: this caller is over a limit, whatever else is out of order.
const Hit* LongestWait(const Check& check, bool soft) {
  const Hit* longest = nullptr;
  Duration wait{};
  bool counted = false;
  for (std::size_t i = 0; i < check.hits.size(); ++i) {
    const Hit& hit = check.hits[i];
    const Outcome& outcome = check.outcomes[i];
    if (outcome.allowed || hit.refund || IsMute(check, hit) || IsSoft(check, hit) != soft) continue;
    const bool counts = outcome.basis != Basis::kClosed;
    if (longest == nullptr || (counts && !counted) || (counts == counted && outcome.retry > wait)) {
      longest = &hit;
      wait = outcome.retry;
      counted = counts;
    }
  }
  return longest;
}

bool AllSoftDeny(const Check& check) {
  bool any = false;
  for (std::size_t i = 0; i < check.hits.size(); ++i) {
    if (!IsSoft(check, check.hits[i])) continue;
    any = true;
    if (check.outcomes[i].allowed || IsMute(check, check.hits[i])) return false;
  }
  return any;
}

void BindTightest(const Check& check, Decision& decision) {
  std::uint64_t least = 0;
  for (std::size_t i = 0; i < check.hits.size(); ++i) {
    const Hit& hit = check.hits[i];
    if (hit.refund || IsMute(check, hit)) continue;
    const std::uint64_t remaining = RemainingOf(hit, check.outcomes[i]);
    if (decision.rule != nullptr && remaining >= least) continue;
    least = remaining;
    Bind(decision, hit, check.outcomes[i]);
    decision.retry_after = {};
  }
}

}  // namespace

std::uint64_t RemainingOf(const Hit& hit, const Outcome& outcome) {
  if (hit.quota->algorithm == Algorithm::kTokenBucket) {
    return gcra::Remaining(*hit.quota, outcome.used);
  }
  return hit.quota->limit - std::min(hit.quota->limit, outcome.used);
}

Level LevelOf(const Hit& hit, const Outcome& outcome) {
  Level level{.rule = hit.rule,
              .quota = hit.quota,
              .remaining = RemainingOf(hit, outcome),
              .denied = !outcome.allowed,
              .retry = outcome.retry,
              .reset = outcome.reset,
              .next = outcome.next};
  switch (hit.quota->algorithm) {
    case Algorithm::kTokenBucket:
      level.next = gcra::NextUnit(*hit.quota, outcome.used);
      break;
    case Algorithm::kFixedWindow:
      level.next = outcome.used > 0 ? outcome.reset : Duration{};
      break;
    case Algorithm::kSlidingWindow:
      break;
  }
  return level;
}

Decision Settle(const Check& check) {
  Decision decision;
  for (std::size_t i = 0; i < check.hits.size(); ++i) {
    if (!check.outcomes[i].allowed && IsMute(check, check.hits[i])) decision.would_deny = true;
  }
  const Hit* denied = LongestWait(check, false);
  if (denied == nullptr && AllSoftDeny(check)) denied = LongestWait(check, true);
  if (denied == nullptr) {
    BindTightest(check, decision);
    return decision;
  }
  Bind(decision, *denied, check.outcomes[static_cast<std::size_t>(denied - check.hits.data())]);
  decision.verdict = decision.basis == Basis::kClosed ? Verdict::kUnavailable : Verdict::kDeny;
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
    if (outcome.allowed) status.remaining = RemainingOf(hit, outcome);
  }
}

Attribution AttributionOf(const Hit& hit, const Outcome& outcome, Charging charging,
                          float near_ratio) {
  Attribution a;
  if (hit.refund) return a;
  const std::uint64_t hits = hit.cost;
  a.total = hits;
  const std::uint64_t limit = hit.quota->capacity();
  const auto near = static_cast<std::uint64_t>(std::floor(static_cast<float>(limit) * near_ratio));
  // What the counter stood at once the hits were in: a denied native hit was never added.
  const std::uint64_t room = RemainingOf(hit, outcome);
  std::uint64_t after = limit - std::min(limit, room);
  if (charging == Charging::kEach) {
    after = outcome.used;
  } else if (!outcome.allowed) {
    a.over = hits;
    if (hit.not_enforced == NotEnforced::kShadow) a.shadow = hits;
    return a;
  }
  const std::uint64_t before = after - std::min(after, hits);
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
