#include "weir/limiter/engine.h"

#include <utility>

namespace weir {

Engine::Engine(Store& store, EngineOptions options)
    : store_(store),
      options_(std::move(options)),
      held_denials_(options_.held_denials == 0
                        ? nullptr
                        : std::make_unique<HeldDenials>(options_.held_denials)),
      in_force_(std::make_shared<const InForce>(
          InForce{.policy = Policy::Build({}, {}), .counters = {}, .domains = {}})) {
  for (std::size_t i = 0; i < options_.limiters; ++i) {
    loops_.push_back(std::make_unique<LoopCounters>());
  }
}

void Engine::SetPolicy(std::shared_ptr<const Policy> policy) {
  const std::lock_guard lock(setting_);
  const std::shared_ptr<const InForce> before = in_force_.Get();
  auto next = std::make_shared<InForce>();
  next->counters.reserve(policy->rules().size());
  for (const Rule* rule : policy->rules()) {
    const Rule* const old = before->policy->FindRule(rule->id);
    next->counters.push_back(old != nullptr ? before->counters[old->index]
                                            : std::make_shared<RuleCounters>(options_.limiters));
  }
  std::map<std::string_view, std::shared_ptr<DomainCounters>> by_name;
  for (std::size_t i = 0; i < before->domains.size(); ++i) {
    by_name.emplace(before->policy->domains()[i].name, before->domains[i]);
  }
  for (const DomainRules& domain : policy->domains()) {
    std::shared_ptr<DomainCounters>& counters = by_name[domain.name];
    if (!counters) counters = std::make_shared<DomainCounters>(options_.limiters);
    next->domains.push_back(counters);
  }
  next->policy = std::move(policy);
  in_force_.Publish(std::move(next));
}

std::shared_ptr<const Policy> Engine::policy() const {
  return in_force_.Get()->policy;
}

Engine::LoopTotals Engine::Loops() const {
  LoopTotals totals;
  for (const auto& loop : loops_) {
    totals.requests += loop->requests.Read();
    totals.unmatched += loop->unmatched.Read();
    totals.unknown_domain += loop->unknown_domain.Read();
    totals.held_lookups += loop->held_lookups.Read();
    totals.held_hits += loop->held_hits.Read();
    loop->elsewhere.AddTo(totals.elsewhere);
  }
  return totals;
}

std::map<std::string, DomainTotals, std::less<>> Engine::Domains() const {
  const std::shared_ptr<const InForce> now = in_force_.Get();
  std::map<std::string, DomainTotals, std::less<>> totals;
  for (std::size_t i = 0; i < now->domains.size(); ++i) {
    totals.insert_or_assign(now->policy->domains()[i].name, now->domains[i]->Totals());
  }
  return totals;
}

std::map<std::string, RuleTotals, std::less<>> Engine::Named() const {
  std::map<std::string, RuleTotals, std::less<>> totals;
  for (const auto& loop : loops_) loop->named.AddTo(totals);
  return totals;
}

std::map<std::string, std::uint64_t, std::less<>> Engine::DomainsNotFound() const {
  std::map<std::string, std::uint64_t, std::less<>> totals;
  for (const auto& loop : loops_) loop->named.AddNotFoundTo(totals);
  return totals;
}

std::map<Fallback, std::uint64_t> Engine::Fallbacks() const {
  std::map<Fallback, std::uint64_t> totals;
  for (const auto& loop : loops_) loop->fallbacks.AddTo(totals);
  return totals;
}

}  // namespace weir
