#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/scenario.h"
#include "weir/core/decision.h"

namespace weir::sim {

// What became of one tenant's requests.
struct TenantResult {
  std::string name;
  std::uint64_t sent = 0;  // In the whole run.
  std::uint64_t admitted = 0;
  // In the outage:
  std::uint64_t outage_sent = 0;
  std::uint64_t outage_admitted = 0;
  std::uint64_t outage_ideal = 0;  // What one healthy limit over all instances would have admitted.
  double rate_error = 0;           // Mean over the outage's seconds of |admitted - ideal| / ideal.

  std::uint64_t wrongly_admitted() const {
    return outage_admitted > outage_ideal ? outage_admitted - outage_ideal : 0;
  }
  std::uint64_t wrongly_denied() const {
    return outage_ideal > outage_admitted ? outage_ideal - outage_admitted : 0;
  }
};

// What one run showed.  Times are since its start.
struct SimulationResult {
  std::vector<TenantResult> tenants;
  std::vector<std::uint32_t> offered_by_second;
  std::vector<std::uint32_t> admitted_by_second;
  std::uint64_t decisions = 0;
  std::uint64_t unavailable = 0;  // 503s.
  std::uint64_t by_basis[9] = {};
  std::uint64_t seconds_unprotected = 0;  // In which somebody was admitted by `open`.
  std::uint64_t ambiguous = 0;            // Hits of which nobody knows whether they were counted.
  std::uint64_t hand_backs = 0;           // Keys whose debt reached the store afterwards.
  std::uint64_t first_second_after = 0;   // Admitted in the second after the last breaker closed.
  Duration longest_wait{};                // For any decision.
  Duration recovered_after{};             // From the end of the outage to the last breaker closing.

  std::uint64_t sent() const;
  std::uint64_t admitted_in_outage() const;
};

// Runs the production engine (Limiter, FailingStore, stores, breaker, ...) of every instance in
// virtual time, over a store and links with the scenario's faults.  Takes no time from any clock
// and no randomness but the scenario's seed.
// REQUIRES: WhatIsWrongWith(scenario) is empty.
SimulationResult Simulate(const Scenario& scenario);

}  // namespace weir::sim
