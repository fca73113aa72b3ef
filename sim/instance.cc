#include "sim/instance.h"

#include <algorithm>
#include <array>

#include "weir/base/hash.h"

namespace weir::sim {
namespace {

LinkOptions LinkOf(const Scenario& scenario, std::size_t number) {
  LinkOptions options;
  options.latency = scenario.latency;
  options.jitter = scenario.jitter;
  options.drop_after = DropAfter(scenario.timeout);
  options.seed = MixHash(scenario.seed, 100 + number);
  return options;
}

LiveCountOptions FleetOf(const Scenario& scenario, std::size_t number) {
  LiveCountOptions options;
  const bool told = scenario.believed_instances != 0;
  options.count =
      told ? scenario.believed_instances : static_cast<std::uint32_t>(scenario.instances);
  // Who is wrong about the number does not know its place either.
  if (!told || scenario.believed_instances == scenario.instances) {
    options.ordinal = static_cast<std::uint32_t>(number);
  }
  return options;
}

FailureOptions FailureOf(const Scenario& scenario, std::size_t number, const Now& start,
                         const LiveCount& fleet) {
  FailureOptions options;
  options.fallback = scenario.policy;
  options.timeout.timeout = scenario.timeout;
  options.seed = MixHash(scenario.seed, 200 + number);
  options.now = start;
  options.mirror_keys = options.caught_keys = options.learned_keys = options.ledger_keys = 20'000;
  options.hand_back = scenario.hand_back;
  options.fleet = &fleet;
  return options;
}

}  // namespace

SimInstance::SimInstance(const Scenario& scenario, std::size_t number, StoreServer& server,
                         std::shared_ptr<const Policy> policy, const Now& start, DecisionSink& sink)
    : scenario_(scenario),
      sink_(sink),
      now_(start),
      link_(server, scenario.faults, number, start, LinkOf(scenario, number)),
      fleet_(FleetOf(scenario, number)),
      state_(FailureOf(scenario, number, start, fleet_)),
      store_(state_, link_),
      engine_(store_, {.key_prefix = {}}),
      limiter_(engine_, 0) {
  engine_.SetPolicy(std::move(policy));
}

void SimInstance::Ask(std::size_t tenant, const Now& now) {
  now_ = now;
  if (idle_.empty()) {
    asked_.push_back(std::make_unique<Asked>(*this));
    idle_.push_back(asked_.back().get());
  }
  Asked& asked = *idle_.back();
  idle_.pop_back();
  asked.tenant = tenant;
  asked.at = now;
  limiter_.BeginTurn();
  const Tenant& who = scenario_.tenants[tenant];
  const Entry entry{"tenant", who.name};
  const Descriptor descriptor{.entries = {&entry, 1}};
  limiter_.Match({.domain = "shop", .descriptors = {&descriptor, 1}, .cost = who.cost}, now, asked);
  const std::array<Check*, 1> batch = {&asked};
  if (limiter_.Commit(batch, now) == 0) Finish(asked);
}

Instant SimInstance::Poll(const Now& now) {
  now_ = now;
  const Instant next = store_.Poll(now);
  // What it sent at the end of its turn will be answered, as a socket would say by itself.
  return std::min(next, link_.NextEvent());
}

void SimInstance::Finish(Asked& asked) {
  const Decision decision = limiter_.Settle(asked);
  sink_.OnDecision(asked.tenant, decision, asked.at, now_);
  asked.Clear();
  idle_.push_back(&asked);
}

}  // namespace weir::sim
