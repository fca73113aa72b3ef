#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "weir/core/failure_policy.h"
#include "weir/failure/breaker.h"
#include "weir/failure/caught_keys.h"
#include "weir/failure/deadline.h"
#include "weir/failure/held_denials.h"
#include "weir/failure/learned_share.h"
#include "weir/failure/ledger.h"
#include "weir/failure/mirror.h"
#include "weir/failure/outage_timers.h"
#include "weir/failure/rehearsal.h"
#include "weir/fleet/live_count.h"

namespace weir {

// What people have switched by hand; asked before everything else.  Called for every hit from every
// loop: cheap and thread-safe.
class Switches {
 public:
  Switches() = default;
  Switches(const Switches&) = delete;
  Switches& operator=(const Switches&) = delete;
  virtual ~Switches() = default;

  // kill, level `bypass`: the rule is skipped.  (Level `shadow` is NotEnforced::kKill, in
  // matching.)
  virtual bool Bypassed(const Rule& rule) const = 0;
  // A drill: the store shall seem to fail this way for the rule; kNone: it shall not.
  virtual Cause Drilled(const Rule& rule) const = 0;
};

struct FailureOptions {
  FailurePolicy fallback{};  // For rules without an `on_store_failure` of their own.
  TimeoutOptions timeout{};
  std::uint64_t seed = 0;  // All randomness derives from it.
  Now now{};               // Where the clocks stand when the instance starts.

  // Bounds.
  std::size_t mirror_keys = 1'000'000;
  std::size_t caught_keys = 100'000;
  std::size_t learned_keys = 100'000;
  std::size_t ledger_keys = 100'000;
  std::size_t in_flight = 4096;  // Calls a loop waits for; beyond, the mode at once: queue_full.

  double rehearsed = 0.01;  // Part of keys.
  bool hand_back = true;    // Off: what was admitted without the store is forgotten.

  // Of the embedder's; may be null.  They outlive the state.
  const LiveCount* fleet = nullptr;  // Null: this instance is alone.
  HeldDenials* held = nullptr;       // Asked before the breaker; null: no denial is remembered.
  const Switches* switches = nullptr;
};

// What is known about one node of the store.
struct NodeState {
  Breaker breaker;
  std::atomic<std::int64_t> clock_offset{0};   // The store's clock minus ours, ns.
  std::atomic<std::int64_t> last_contact{0};   // On the store's clock; 0: never.
  std::atomic<std::int64_t> first_contact{0};  // On ours, steady; 0: never.

  explicit NodeState(std::uint64_t seed) : breaker({.seed = seed}) {}

  // How long the node has been answering this instance, outages left out.
  Duration Healthy(Instant now) const;
  // An answer came, stamped `at` by the store.
  void Heard(WallTime at, const Now& now);
};

// All that the loops of one instance share in order to fail on purpose: see each part.
// Thread-safe.
class FailureState {
 public:
  // Nodes beyond this share what is known with others.
  static constexpr std::size_t kNodes = 256;

  explicit FailureState(FailureOptions options);
  FailureState(const FailureState&) = delete;
  FailureState& operator=(const FailureState&) = delete;

  const FailureOptions& options() const { return options_; }
  NodeState& node(NodeId id) { return *nodes_[id % kNodes]; }
  // A slot has a new owner, or a node a new primary, under this id.
  void Renew(NodeId id, Instant now) { node(id).breaker.Renew(now); }

  Moment MomentOf(NodeId id, const Now& now);
  const FailurePolicy& PolicyOf(const Rule& rule) const {
    return rule.on_store_failure ? *rule.on_store_failure : options_.fallback;
  }

  Timeout& timeout() { return timeout_; }
  OutageTimers& timers() { return timers_; }
  Mirror& mirror() { return mirror_; }
  CaughtKeys& caught() { return caught_; }
  LearnedShares& learned() { return learned_; }
  Rehearsal& rehearsal() { return rehearsal_; }
  Ledger& ledger() { return ledger_; }
  // The fleet, as published; for readers.
  const Snapshot<FleetView>& fleet() const;

 private:
  const FailureOptions options_;
  const LiveCount alone_;
  std::array<std::unique_ptr<NodeState>, kNodes> nodes_;
  Timeout timeout_;
  OutageTimers timers_;
  Mirror mirror_;
  CaughtKeys caught_;
  LearnedShares learned_;
  Rehearsal rehearsal_;
  Ledger ledger_;
};

}  // namespace weir
