#include "sim/simulation.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <queue>

#include "sim/instance.h"
#include "sim/store_server.h"
#include "weir/base/hash.h"

namespace weir::sim {
namespace {

using std::chrono::seconds;

// 2023-11-14 22:00:00 UTC: the start of a second, a minute and an hour.
constexpr Now kStart{.steady = Instant(seconds(60)), .wall = WallTime(seconds(1'699'999'200))};

Now At(Duration t) {
  return {.steady = kStart.steady + t, .wall = kStart.wall + t};
}

std::shared_ptr<const Policy> PolicyOf(const Scenario& scenario) {
  RuleNode node;
  node.key = "tenant";
  Rule rule;
  rule.quota = MakeQuota(scenario.quota).value();
  rule.on_store_failure = scenario.policy;
  node.rule = std::move(rule);
  DomainRules shop;
  shop.name = "shop";
  shop.children.push_back(std::move(node));
  std::vector<DomainRules> domains;
  domains.push_back(std::move(shop));
  return Policy::Build(std::move(domains), {.seed = scenario.seed, .fingerprint = {}});
}

// What one limit over the whole fleet would have said, had nothing failed.
class Ideal {
 public:
  explicit Ideal(const Scenario& scenario)
      : memory_({.max_keys = Scenario::kMostTenants, .max_bytes = 0, .now = kStart}) {
    rule_.quota = MakeQuota(scenario.quota).value();
  }
  bool Admits(std::size_t tenant, std::uint64_t cost, Duration t) {
    check_.hits.clear();
    Hit& hit = check_.hits.emplace_back();
    hit.rule = &rule_;
    hit.quota = &rule_.quota;
    hit.id = MixHash(1, tenant);
    hit.cost = cost;
    Check* const batch[] = {&check_};
    memory_.Commit(batch, At(t));
    return check_.outcomes[0].allowed;
  }

 private:
  MemoryStore memory_;
  Rule rule_;
  Check check_;
};

// When each tenant asks next, the earliest first.
class Arrivals {
 public:
  explicit Arrivals(const Scenario& scenario)
      : scenario_(scenario), sent_(scenario.tenants.size()) {
    for (std::size_t i = 0; i < scenario.tenants.size(); ++i) heap_.push({Duration{}, i});
  }
  Duration next() const { return heap_.top().at; }
  // Takes the next one.
  std::size_t Take() {
    const Entry top = heap_.top();
    heap_.pop();
    const double after = static_cast<double>(++sent_[top.tenant]) * 1e9;
    heap_.push(
        {Duration(std::llround(after / scenario_.tenants[top.tenant].per_second)), top.tenant});
    return top.tenant;
  }
  // How many of the tenant's were taken before the last one.
  std::uint64_t NumberOf(std::size_t tenant) const { return sent_[tenant] - 1; }

 private:
  struct Entry {
    Duration at;
    std::size_t tenant;
    bool operator>(const Entry& other) const {
      return at != other.at ? at > other.at : tenant > other.tenant;
    }
  };
  const Scenario& scenario_;
  std::vector<std::uint64_t> sent_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap_;
};

class Run final : public DecisionSink {
 public:
  explicit Run(const Scenario& scenario)
      : scenario_(scenario),
        outage_(scenario.Outage()),
        server_(kStart, scenario.store_ahead, MixHash(scenario.seed, 3)),
        ideal_(scenario) {
    const std::shared_ptr<const Policy> policy = PolicyOf(scenario);
    for (std::size_t i = 0; i < scenario.instances; ++i) {
      instances_.push_back(
          std::make_unique<SimInstance>(scenario, i, server_, policy, kStart, *this));
      due_.push_back(kStart.steady);
    }
    turns_.resize(scenario.tenants.size());
    for (const Tenant& tenant : scenario.tenants) {
      TenantResult& row = result_.tenants.emplace_back();
      row.name = tenant.name;
      by_second_.emplace_back();
    }
    PlanTheStore();
  }

  SimulationResult Go();

  void OnDecision(std::size_t tenant, const Decision& decision, const Now& asked,
                  const Now& decided) override;

 private:
  // What happens to the store itself.
  struct Event {
    Duration at;
    const Fault* fault;
  };
  struct Second {
    std::uint32_t admitted = 0;
    std::uint32_t ideal = 0;
  };

  void PlanTheStore();
  void Happen(const Event& event);
  std::size_t InstanceFor(std::size_t tenant, std::uint64_t number);
  void Arrive(std::size_t tenant, Duration t);
  void WatchBreakers(Duration t);
  void Conclude();
  bool InOutage(Duration t) const { return t >= outage_.from && t < outage_.to; }
  Second& SecondOf(std::size_t tenant, Duration t) {
    auto& row = by_second_[tenant];
    const auto second = static_cast<std::size_t>(t / seconds(1));
    if (row.size() <= second) row.resize(second + 1);
    return row[second];
  }

  const Scenario& scenario_;
  const Scenario::Span outage_;
  StoreServer server_;
  Ideal ideal_;
  std::vector<std::unique_ptr<SimInstance>> instances_;
  std::vector<Instant> due_;
  std::vector<Event> events_;
  std::vector<std::vector<double>> turns_;  // Smooth weighted round robin, by tenant.
  std::vector<std::vector<Second>> by_second_;
  std::vector<bool> unprotected_;
  std::vector<Duration> admitted_after_;  // When, since the outage ended.
  Duration last_open_{};                  // When some breaker was seen open last.
  SimulationResult result_;
};

void Run::PlanTheStore() {
  for (const Fault& fault : scenario_.faults) {
    if (fault.kind == FaultKind::kFailover) {
      server_.KeepReplica(fault.amount);
      events_.push_back({fault.to, &fault});
    }
    if (fault.kind == FaultKind::kClockStep || fault.kind == FaultKind::kEviction) {
      events_.push_back({fault.from, &fault});
    }
  }
  std::stable_sort(events_.begin(), events_.end(),
                   [](const Event& a, const Event& b) { return a.at > b.at; });  // Last goes first.
}

void Run::Happen(const Event& event) {
  switch (event.fault->kind) {
    case FaultKind::kFailover:
      for (const auto& instance : instances_) instance->FindNewPrimary(kStart.steady + event.at);
      return server_.FailOver(event.at);
    case FaultKind::kClockStep:
      return server_.StepClock(event.fault->amount);
    default:
      return server_.Evict(event.fault->one_in);
  }
}

std::size_t Run::InstanceFor(std::size_t tenant, std::uint64_t number) {
  const Tenant& who = scenario_.tenants[tenant];
  if (who.pinned) return *who.pinned;
  if (who.weights.empty()) return number % instances_.size();
  std::vector<double>& turns = turns_[tenant];
  turns.resize(who.weights.size());
  double total = 0;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    turns[i] += who.weights[i];
    total += who.weights[i];
  }
  const auto most = std::max_element(turns.begin(), turns.end());
  *most -= total;
  return static_cast<std::size_t>(most - turns.begin());
}

void Run::Arrive(std::size_t tenant, Duration t) {
  TenantResult& row = result_.tenants[tenant];
  ++row.sent;
  const auto second = static_cast<std::size_t>(t / seconds(1));
  if (result_.offered_by_second.size() <= second) result_.offered_by_second.resize(second + 1);
  ++result_.offered_by_second[second];
  if (ideal_.Admits(tenant, scenario_.tenants[tenant].cost, t)) {
    ++SecondOf(tenant, t).ideal;
    if (InOutage(t)) ++row.outage_ideal;
  }
  if (InOutage(t)) ++row.outage_sent;
}

void Run::OnDecision(std::size_t tenant, const Decision& decision, const Now& asked,
                     const Now& decided) {
  const Duration t = asked.steady - kStart.steady;
  TenantResult& row = result_.tenants[tenant];
  ++result_.decisions;
  ++result_.by_basis[static_cast<std::size_t>(decision.basis)];
  result_.longest_wait = std::max(result_.longest_wait, decided.steady - asked.steady);
  if (decision.verdict == Verdict::kUnavailable) ++result_.unavailable;
  if (!decision.allowed()) return;
  ++row.admitted;
  ++SecondOf(tenant, t).admitted;
  const auto second = static_cast<std::size_t>(t / seconds(1));
  if (result_.admitted_by_second.size() <= second) result_.admitted_by_second.resize(second + 1);
  ++result_.admitted_by_second[second];
  if (InOutage(t)) ++row.outage_admitted;
  if (decision.basis == Basis::kOpen) {
    if (unprotected_.size() <= second) unprotected_.resize(second + 1);
    unprotected_[second] = true;
  }
  if (t >= outage_.to) admitted_after_.push_back(t);
}

void Run::WatchBreakers(Duration t) {
  if (t < outage_.from) return;
  for (const auto& instance : instances_) {
    if (instance->node().breaker.Read().open) last_open_ = t;
  }
}

SimulationResult Run::Go() {
  Arrivals arrivals(scenario_);
  for (;;) {
    const Instant polled = *std::min_element(due_.begin(), due_.end());
    Duration t = std::min(arrivals.next(), polled - kStart.steady);
    if (!events_.empty()) t = std::min(t, events_.back().at);
    if (t >= scenario_.length) break;
    const Now now = At(t);
    while (!events_.empty() && events_.back().at <= t) {
      Happen(events_.back());
      events_.pop_back();
    }
    // Answers first: what has arrived in time must not count as late.
    for (std::size_t i = 0; i < instances_.size(); ++i) {
      if (due_[i] <= now.steady) due_[i] = instances_[i]->Poll(now);
    }
    while (arrivals.next() <= t) {
      const std::size_t tenant = arrivals.Take();
      Arrive(tenant, t);
      const std::size_t i = InstanceFor(tenant, arrivals.NumberOf(tenant));
      instances_[i]->Ask(tenant, now);
      due_[i] = instances_[i]->Poll(now);
    }
    WatchBreakers(t);
  }
  // Lets what is in flight end.
  for (Duration t = scenario_.length; t < scenario_.length + seconds(3);) {
    const Instant next = *std::min_element(due_.begin(), due_.end());
    t = std::max(t, next - kStart.steady);
    if (t >= scenario_.length + seconds(3)) break;
    for (std::size_t i = 0; i < instances_.size(); ++i) {
      if (due_[i] <= next) due_[i] = instances_[i]->Poll(At(t));
    }
  }
  Conclude();
  return std::move(result_);
}

void Run::Conclude() {
  const auto length =
      static_cast<std::size_t>(std::chrono::ceil<std::chrono::seconds>(scenario_.length).count());
  result_.offered_by_second.resize(length);
  result_.admitted_by_second.resize(length);
  for (std::size_t i = 0; i < by_second_.size(); ++i) {
    double sum = 0;
    int counted = 0;
    for (Duration t = outage_.from; t + seconds(1) <= outage_.to; t += seconds(1)) {
      const Second& second = SecondOf(i, t);
      if (second.ideal == 0) continue;
      sum += std::abs(static_cast<double>(second.admitted) - second.ideal) / second.ideal;
      ++counted;
    }
    result_.tenants[i].rate_error = counted > 0 ? sum / counted : 0;
  }
  result_.seconds_unprotected =
      static_cast<std::uint64_t>(std::count(unprotected_.begin(), unprotected_.end(), true));
  for (const auto& instance : instances_) {
    result_.ambiguous += instance->counts().ambiguous.Read();
    result_.hand_backs += instance->counts().hand_backs.Read();
  }
  const Duration closed = std::max(last_open_, outage_.to);
  result_.recovered_after = closed - outage_.to;
  for (const Duration t : admitted_after_) {
    if (t >= closed && t < closed + seconds(1)) ++result_.first_second_after;
  }
}

}  // namespace

std::uint64_t SimulationResult::sent() const {
  std::uint64_t sum = 0;
  for (const TenantResult& tenant : tenants) sum += tenant.sent;
  return sum;
}

std::uint64_t SimulationResult::admitted_in_outage() const {
  std::uint64_t sum = 0;
  for (const TenantResult& tenant : tenants) sum += tenant.outage_admitted;
  return sum;
}

SimulationResult Simulate(const Scenario& scenario) {
  return Run(scenario).Go();
}

}  // namespace weir::sim
