#include "weir/limiter/limiter.h"

#include <array>
#include <cassert>
#include <utility>

#include "weir/limiter/held_hits.h"

namespace weir {

// A check of Start(): finds its way back by itself.
class Limiter::Started final : public weir::Check {
 public:
  explicit Started(Limiter& owner) : owner_(owner) {}
  void Done() override { owner_.Finish(this); }

  Callback callback;

 private:
  Limiter& owner_;
};

Limiter::Limiter(Engine& engine, std::size_t number) : Limiter(engine, number, engine.store()) {}

Limiter::Limiter(Engine& engine, std::size_t number, Store& store)
    : engine_(engine),
      store_(store),
      number_(number),
      loop_(engine.loop(number)),
      in_force_(engine.in_force()),
      match_options_{.keys = engine.options().keys,
                     .key_prefix = engine.options().key_prefix,
                     .stand_still_when_over = engine.options().stand_still_when_over},
      single_(std::make_unique<weir::Check>()) {}

Limiter::~Limiter() = default;

Decision Limiter::Check(const Request& request, const Now& now) {
  BeginTurn();
  Match(request, now, *single_);
  const std::array<weir::Check*, 1> batch = {single_.get()};
  const std::size_t pending = Commit(batch, now);
  assert(pending == 0 && "this store answers later: use Start()");
  static_cast<void>(pending);
  return Settle(*single_);
}

void Limiter::Start(const Request& request, const Now& now, Callback done) {
  BeginTurn();
  if (idle_.empty()) idle_.push_back(std::make_unique<Started>(*this));
  Started* const started = idle_.back().release();
  idle_.pop_back();
  started->callback = std::move(done);
  Match(request, now, *started);
  const std::array<weir::Check*, 1> batch = {started};
  if (Commit(batch, now) == 0) Finish(started);
}

void Limiter::Finish(Started* started) {
  std::unique_ptr<Started> owned(started);
  // `done` may ask again, and so adopt a newer policy, while it still looks at this decision.
  if (started->pin == nullptr) started->pin = in_force_.value()->policy;
  const Decision decision = Settle(*started);
  const Callback done = std::exchange(started->callback, nullptr);
  done(decision);
  owned->Clear();
  idle_.push_back(std::move(owned));
}

void Limiter::Match(const Request& request, const Now& now, weir::Check& check) {
  weir::Match(policy(), request, now, match_options_, check);
  CountMatches(request, check);
}

std::size_t Limiter::Commit(std::span<weir::Check* const> checks, const Now& now) {
  if (HeldDenials* const denials = engine_.held_denials()) TakeHeld(*denials, checks, now);
  const std::size_t pending = store_.Commit(checks, now);
  if (pending != 0) {
    for (weir::Check* check : checks) {
      if (check->pending) check->pin = in_force_.value()->policy;
    }
  }
  return pending;
}

void Limiter::TakeHeld(HeldDenials& denials, std::span<weir::Check* const> checks, const Now& now) {
  HeldCounts counts;
  for (weir::Check* check : checks) held_hits::Take(denials, now, *check, counts);
  loop_.held_lookups.Add(counts.lookups);
  loop_.held_hits.Add(counts.hits);
}

void Limiter::CountMatches(const Request& request, const weir::Check& check) {
  loop_.requests.Add(1);
  const Engine::InForce& now = *in_force_.value();
  const bool known = check.domain != Policy::kNone;
  DomainCell& domain =
      known ? now.domains[now.policy->node(check.domain).domain]->cell(number_) : loop_.elsewhere;
  domain.AddRequest(check.transport);
  bool unknown = false;
  for (const DescriptorMatch& match : check.matches) {
    if (match.kind == DescriptorMatch::Kind::kNoRule) {
      loop_.unmatched.Add(1);
      domain.AddUnmatched();
    }
    if (match.kind != DescriptorMatch::Kind::kNoDomain) continue;
    unknown = true;
    if (policy().profile() == Profile::kReference) loop_.named.AddNotFound(request.domain);
  }
  if (unknown) loop_.unknown_domain.Add(1);
}

Decision Limiter::Settle(weir::Check& check) {
  HeldDenials* const denials = engine_.held_denials();
  if (denials != nullptr) held_hits::PutBack(check);
  const Decision decision = weir::Settle(check);
  if (denials != nullptr) held_hits::Remember(*denials, check);
  CountHits(check);
  if (decision.rule != nullptr) {
    if (RuleCell* const cell = CellOf(check, *decision.rule)) cell->AddDecision(decision);
  }
  return decision;
}

// A check that was pending over a reload counts for its rules where they still exist; their
// indices mean nothing to another policy.
RuleCell* Limiter::CellOf(const weir::Check& check, const Rule& rule) {
  const Engine::InForce& now = *in_force_.value();
  std::uint32_t index = rule.index;
  if (check.pin != nullptr && check.pin != now.policy) {
    const Rule* const still = now.policy->FindRule(rule.id);
    if (still == nullptr) return nullptr;
    index = still->index;
  }
  return &now.counters[index]->cell(number_);
}

void Limiter::CountHits(const weir::Check& check) {
  const float near_ratio = engine_.options().near_ratio;
  for (const DescriptorMatch& match : check.matches) {
    if (match.kind != DescriptorMatch::Kind::kCounted) continue;
    const Hit& hit = check.hits[match.hit];
    const Outcome& outcome = check.outcomes[match.hit];
    const Attribution a = AttributionOf(hit, outcome, check.charging, near_ratio);
    const bool held = outcome.basis == Basis::kHeld;
    if (outcome.cause != Cause::kNone) {
      loop_.fallbacks.Add(*hit.rule, outcome.basis, outcome.cause);
    }
    if (!match.stat_key.empty()) {
      loop_.named.Add(match.stat_key, a, held);
      continue;
    }
    RuleCell* const cell = CellOf(check, *hit.rule);
    if (cell == nullptr) continue;
    cell->AddHits(a, held);
    if (!outcome.allowed && hit.not_enforced == NotEnforced::kShadow) cell->AddShadowDenial();
  }
}

}  // namespace weir
