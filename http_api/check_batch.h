#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "net/http.h"
#include "weir/limiter/limiter.h"

namespace weir::http_api {

class CheckBatch;
class DecisionSink;

// One request on its way to a decision.
class PendingCheck final : public weir::Check {
 public:
  explicit PendingCheck(CheckBatch& batch) : batch_(batch) {}
  void Done() override;

  net::HttpExchange* exchange = nullptr;  // Null once nobody waits any more.
  DecisionSink* sink = nullptr;
  Now now{};
  std::uint64_t cost = 1;
  int tag = 0;  // The sink's own.

 private:
  CheckBatch& batch_;
};

// Who turns decisions into answers.
class DecisionSink {
 public:
  // Answers check.exchange.  Everything is valid during the call only.
  virtual void OnDecision(const PendingCheck& check, const Decision& decision) = 0;

 protected:
  ~DecisionSink() = default;
};

// Collects the requests of one read, whichever endpoint they came to, and commits them together.
// One for each loop: it matches all of a batch under one policy.  Not thread-safe.
class CheckBatch {
 public:
  // `limiter` is the loop's, and must outlive this.
  explicit CheckBatch(Limiter& limiter) : limiter_(limiter) {}
  CheckBatch(const CheckBatch&) = delete;
  CheckBatch& operator=(const CheckBatch&) = delete;
  // REQUIRES: nothing is pending in the store.
  ~CheckBatch() = default;

  // Matches `request`, which may go when this returns.  `sink` hears of the decision during
  // Commit() or later, unless the exchange is cancelled first.
  void Add(const Request& request, const Now& now, net::HttpExchange& exchange, DecisionSink& sink,
           int tag = 0);

  // Charges what was added since the last call.
  void Commit();

  // Nobody waits for this exchange any more; what was charged stays charged.
  static void Cancel(net::HttpExchange& exchange);

 private:
  friend class PendingCheck;
  void Finish(PendingCheck& check);

  Limiter& limiter_;
  std::vector<weir::Check*> batch_;
  std::vector<weir::Check*> committing_;
  std::vector<PendingCheck*> idle_;
  std::vector<std::unique_ptr<PendingCheck>> checks_;
};

}  // namespace weir::http_api
