#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "weir/failure/failing_store.h"
#include "weir/failure/local_rig.h"
#include "weir/failure/scripted_store.h"

namespace weir {

// A caller's check that knows when it was asked and answered.
class AskedCheck final : public Check {
 public:
  void Done() override { ++done; }

  int done = 0;
  bool was_pending = false;
  Instant asked{};

  bool passed() const {
    for (std::size_t i = 0; i < hits.size(); ++i) {
      if (hits[i].not_enforced == NotEnforced::kNo && !outcomes[i].allowed) return false;
    }
    return true;
  }
};

// One instance in small: what is shared, one loop, and its connection.
struct RigInstance {
  RigInstance(Store& shared, FailureOptions options, NodeId nodes)
      : state(std::move(options)), remote(shared, nodes), store(state, remote) {}
  ~RigInstance() { remote.Drop(); }

  FailureState state;
  ScriptedStore remote;
  FailingStore store;
};

// Instances around one shared store, in virtual time.
class FailingRig : public LocalRig {
 public:
  RigInstance& NewInstance(FailureOptions options = {}, NodeId nodes = 1) {
    options.now = now();
    if (options.seed == 0) options.seed = instances_.size() + 1;
    options.mirror_keys = options.caught_keys = options.learned_keys = 1000;
    return *instances_.emplace_back(
        std::make_unique<RigInstance>(memory_, std::move(options), nodes));
  }

  // Asks and does not wait.
  AskedCheck& Ask(RigInstance& at, std::vector<Hit> hits,
                  Charging charging = Charging::kAllOrNothing) {
    AskedCheck& check = checks_.emplace_back();
    check.charging = charging;
    check.hits = std::move(hits);
    check.asked = now().steady;
    Check* const one[] = {&check};
    at.store.Commit(one, now());
    check.was_pending = check.pending;
    return check;
  }
  // Lets time pass, turn by turn.
  void Pass(Duration by, Duration turn = std::chrono::microseconds(250)) {
    for (Duration gone{}; gone < by; gone += turn) {
      Advance(turn);
      for (const auto& instance : instances_) instance->store.Poll(now());
    }
  }
  // Asks, and lets as much time pass as the answer takes.
  AskedCheck& Answer(RigInstance& at, std::vector<Hit> hits,
                     Charging charging = Charging::kAllOrNothing) {
    AskedCheck& check = Ask(at, std::move(hits), charging);
    for (int i = 0; check.pending && i < 1000; ++i) Pass(std::chrono::microseconds(250));
    return check;
  }
  // Fails calls until the breaker opens; asks about a key of no interest.
  void OpenBreaker(RigInstance& at, Fault fault, NodeId node = 0) {
    at.remote.fault = fault;
    const Rule& rule = NewRule(Algorithm::kTokenBucket, 1000, std::chrono::seconds(1),
                               {.mode = FailureMode::kOpen});
    Hit hit = HitOn(rule, "breaker");
    while (at.remote.NodeOf(hit) != node) ++hit.id;
    while (!at.state.node(node).breaker.Read().open) {
      Ask(at, {hit});
      Pass(std::chrono::milliseconds(1));
    }
  }
  void Heal(RigInstance& at) {
    at.remote.fault = Fault::kNone;
    for (int i = 0; i < 3000 && AnyOpen(at); ++i) Pass(std::chrono::milliseconds(1));
  }
  static bool AnyOpen(RigInstance& at) {
    for (NodeId node = 0; node < 4; ++node) {
      if (at.state.node(node).breaker.Read().open) return true;
    }
    return false;
  }

  // What the shared store itself has counted for the key, in whole units.
  std::uint64_t Counted(const Hit& hit) {
    Check check;
    check.hits = {hit};
    check.hits[0].cost = 0;
    Check* const one[] = {&check};
    memory_.Commit(one, now());
    return hit.quota->burst - LeftOf(hit, check.outcomes[0]);
  }
  MemoryStore& memory() { return memory_; }

 private:
  MemoryStore memory_{{.max_keys = 10'000, .now = kRigStart}};
  std::deque<AskedCheck> checks_;
  std::vector<std::unique_ptr<RigInstance>> instances_;
};

}  // namespace weir
