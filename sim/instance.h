#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "sim/link_store.h"
#include "sim/scenario.h"
#include "weir/failure/failing_store.h"
#include "weir/limiter/limiter.h"

namespace weir::sim {

// Hears each decision of an instance, once.
class DecisionSink {
 public:
  DecisionSink() = default;
  DecisionSink(const DecisionSink&) = delete;
  DecisionSink& operator=(const DecisionSink&) = delete;
  virtual ~DecisionSink() = default;

  virtual void OnDecision(std::size_t tenant, const Decision& decision, const Now& asked,
                          const Now& decided) = 0;
};

// One Weir process in small: the production engine over a simulated link.
class SimInstance {
 public:
  // `server`, `scenario` and `sink` must outlive this.
  SimInstance(const Scenario& scenario, std::size_t number, StoreServer& server,
              std::shared_ptr<const Policy> policy, const Now& start, DecisionSink& sink);

  // A request of this tenant; the sink hears the decision, now or in a later Poll().
  void Ask(std::size_t tenant, const Now& now);
  // What a loop does once a turn; says when to come back.
  Instant Poll(const Now& now);

  // The store has a new primary, and this instance has found it.
  void FindNewPrimary(Instant now) {
    link_.Reconnect();
    state_.Renew(0, now);
  }

  const FailureCounts& counts() const { return store_.counts(); }
  const NodeState& node() { return state_.node(0); }

 private:
  struct Asked final : Check {
    explicit Asked(SimInstance& sim) : owner(sim) {}
    void Done() override { owner.Finish(*this); }

    SimInstance& owner;
    std::size_t tenant = 0;
    Now at;
  };

  void Finish(Asked& asked);

  const Scenario& scenario_;
  DecisionSink& sink_;
  Now now_;
  LinkStore link_;
  LiveCount fleet_;
  FailureState state_;
  FailingStore store_;
  Engine engine_;
  Limiter limiter_;
  std::vector<std::unique_ptr<Asked>> asked_;
  std::vector<Asked*> idle_;
};

}  // namespace weir::sim
