#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "weir/base/snapshot.h"
#include "weir/core/policy.h"
#include "weir/failure/held_denials.h"
#include "weir/limiter/counters.h"
#include "weir/limiter/match.h"
#include "weir/store/store.h"

namespace weir {

struct EngineOptions {
  // How many Limiters will be made: one for each loop or thread that decides.
  std::size_t limiters = 1;
  // Above this part of a limit, hits count as near it.
  float near_ratio = 0.8F;
  // Keep texts of keys: needed for stores that hold texts, and for the decision log.
  bool keys = false;
  // Reference profile: CACHE_KEY_PREFIX.
  std::string key_prefix{};
  // Reference profile: STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT; see Standstill.
  bool stand_still_when_over = false;
  // How many denials are remembered and given again without asking the store (held_hits.h); 0:
  // none. HeldDenials says what that costs, and what happens at the bound.
  std::size_t held_denials = 0;
};

// What all loops of an instance share: the policy in force, the store, the counters.  There are no
// globals; several engines live side by side in one process.
//
// Thread-safe.
class Engine {
 public:
  // `store` must outlive the engine.  Until SetPolicy() no domain is known.
  Engine(Store& store, EngineOptions options);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Takes effect for requests matched after the deciding thread's next turn.  Counters of rules
  // that stay, by id, go on; those of rules that are gone disappear; of domains the same.  Build
  // the new policy with policy() as `previous`, so that changed rules carry their levels over.
  void SetPolicy(std::shared_ptr<const Policy> policy);
  std::shared_ptr<const Policy> policy() const;

  // What a policy and its counters look like to a deciding thread.
  struct InForce {
    std::shared_ptr<const Policy> policy;
    std::vector<std::shared_ptr<RuleCounters>> counters;   // By rule index.
    std::vector<std::shared_ptr<DomainCounters>> domains;  // By the domain's place in the policy.
  };
  const Snapshot<InForce>& in_force() const { return in_force_; }

  Store& store() const { return store_; }
  const EngineOptions& options() const { return options_; }
  // Null where none are remembered.
  HeldDenials* held_denials() const { return held_denials_.get(); }
  LoopCounters& loop(std::size_t limiter) const { return *loops_[limiter]; }

  // -- reading the counts: sums over all limiters, consistent to a few increments --
  struct LoopTotals {
    std::uint64_t requests = 0;
    std::uint64_t unmatched = 0;
    std::uint64_t unknown_domain = 0;
    DomainTotals elsewhere;  // The requests for unknown domains, by transport.
    std::uint64_t held_lookups = 0;
    std::uint64_t held_hits = 0;
  };
  LoopTotals Loops() const;
  // Of the domains in force, by name.
  std::map<std::string, DomainTotals, std::less<>> Domains() const;
  std::map<std::string, RuleTotals, std::less<>> Named() const;
  std::map<std::string, std::uint64_t, std::less<>> DomainsNotFound() const;
  std::map<Fallback, std::uint64_t> Fallbacks() const;

 private:
  Store& store_;
  const EngineOptions options_;
  const std::unique_ptr<HeldDenials> held_denials_;
  std::mutex setting_;  // One SetPolicy() at a time.
  Snapshot<InForce> in_force_;
  std::vector<std::unique_ptr<LoopCounters>> loops_;
};

}  // namespace weir
