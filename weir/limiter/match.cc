#include "weir/limiter/match.h"

#include <algorithm>

#include "weir/limiter/hit_writer.h"

namespace weir {
namespace {

// One entry a level.  Leaves the match without a rule where the descriptor is deeper or shallower
// than any rule, or where a level has nothing for its entry.
void FindRule(const Policy& policy, Policy::NodeIndex domain, const Descriptor& descriptor,
              DescriptorMatch& match) {
  Policy::NodeIndex at = domain;
  for (const Entry& entry : descriptor.entries) {
    const std::uint64_t hash = policy.HashOf(entry.value);
    at = policy.Child(at, entry, hash).node;
    if (at == Policy::kNone) return;
    if (policy.node(at).open) match.values = MixHash(match.values, hash);
  }
  match.node = at;
  match.rule = policy.node(at).rule;  // A domain's own node, of an empty descriptor, has none.
  if (match.rule == nullptr) return;
  match.kind =
      match.rule->unlimited ? DescriptorMatch::Kind::kUnlimited : DescriptorMatch::Kind::kCounted;
}

Algorithm AlgorithmOfOverride(Profile profile, const Rule* rule) {
  if (profile == Profile::kReference) return Algorithm::kFixedWindow;
  if (rule == nullptr || rule->unlimited) return Algorithm::kTokenBucket;
  return rule->quota.algorithm;
}

// A limit that the request brings along counts where the rule's would.  Where there is no such
// rule, and always in the reference profile, which then does not even look for one, it counts under
// the domain's override rule.
void ApplyOverride(const Policy& policy, Policy::NodeIndex domain, const Descriptor& descriptor,
                   DescriptorMatch& match, Check& check) {
  QuotaSpec spec{.algorithm = AlgorithmOfOverride(policy.profile(), match.rule),
                 .limit = descriptor.limit->requests_per_unit,
                 .unit = descriptor.limit->unit};
  spec.calendar = policy.options().calendar_months && spec.unit == Unit::kMonth &&
                  spec.algorithm == Algorithm::kFixedWindow;
  const Result<Quota, std::string> quota = MakeQuota(spec);
  if (!quota) return;
  check.overrides.push_back(*quota);
  if (policy.profile() == Profile::kReference || match.rule == nullptr || match.rule->unlimited) {
    match.rule = &policy.OverrideRule(domain);
    match.node = Policy::kNone;
  }
  match.kind = DescriptorMatch::Kind::kCounted;
  match.overridden = true;
}

bool Names(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Rules that another matched rule of the same request names step aside.
void StepAside(Check& check) {
  for (const DescriptorMatch& by : check.matches) {
    if (by.rule == nullptr || by.rule->replaces.empty()) continue;
    for (DescriptorMatch& m : check.matches) {
      if (m.rule == nullptr || m.rule->unlimited || !Names(by.rule->replaces, m.rule->name))
        continue;
      m.kind = DescriptorMatch::Kind::kReplaced;
    }
  }
}

}  // namespace

void Match(const Policy& policy, const Request& request, const Now& now,
           const MatchOptions& options, Check& check) {
  check.Clear();
  if (policy.profile() == Profile::kReference) {
    check.charging = Charging::kEach;
    if (options.stand_still_when_over) check.standstill = Standstill::kWhenOver;
  }
  check.matches.resize(request.descriptors.size());
  check.overrides.reserve(request.descriptors.size());  // Hits point into it: it must not move.
  const Policy::NodeIndex domain = policy.FindDomain(request.domain);
  check.domain = domain;
  for (std::size_t i = 0; i < request.descriptors.size(); ++i) {
    DescriptorMatch& match = check.matches[i];
    if (domain == Policy::kNone) {
      match.kind = DescriptorMatch::Kind::kNoDomain;
      continue;
    }
    const Descriptor& descriptor = request.descriptors[i];
    FindRule(policy, domain, descriptor, match);
    if (descriptor.limit && descriptor.limit->unit != Unit::kUnknown) {
      ApplyOverride(policy, domain, descriptor, match, check);
    }
  }
  StepAside(check);
  HitWriter(policy, request, now, options, domain, check).WriteAll();
}

}  // namespace weir
