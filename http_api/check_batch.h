#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "net/http.h"
#include "weir/limiter/decision_observer.h"
#include "weir/limiter/limiter.h"

namespace weir::http_api {

class CheckBatch;
class DecisionSink;

// One request on its way to a decision.
class PendingCheck final : public weir::Check {
 public:
  explicit PendingCheck(CheckBatch& batch) : batch_(batch) { transport = Transport::kHttp; }
  void Done() override;

  net::HttpExchange* exchange = nullptr;  // Null once nobody waits any more.
  DecisionSink* sink = nullptr;
  Now now{};
  int tag = 0;      // The sink's own.
  Request request;  // Its cost; the rest only with CheckBatch::Keep::kTexts.

 private:
  friend class CheckBatch;
  void KeepTexts(const Request& asked);
  void KeepNames(const net::HttpRequest& http);

  std::vector<Entry> entries_;
  std::vector<Descriptor> descriptors_;
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
  explicit CheckBatch(Limiter& limiter, DecisionObserver* observer = nullptr)
      : limiter_(limiter),
        observer_(observer),
        log_texts_(observer != nullptr && observer->wants_texts()) {}
  CheckBatch(const CheckBatch&) = delete;
  CheckBatch& operator=(const CheckBatch&) = delete;
  // REQUIRES: nothing is pending in the store.
  ~CheckBatch() = default;

  // What an answer needs of the question.
  enum class Keep : std::uint8_t { kCost, kTexts };

  // Matches `request`, which `http` asked; both may go when this returns.  `sink` hears of the
  // decision during Commit() or later, unless the exchange is cancelled first.
  void Add(const Request& request, const net::HttpRequest& http, net::HttpExchange& exchange,
           DecisionSink& sink, int tag = 0, Keep keep = Keep::kCost);

  // Charges what was added since the last call.
  void Commit();

  // Nobody waits for this exchange any more; what was charged stays charged.
  static void Cancel(net::HttpExchange& exchange);

 private:
  friend class PendingCheck;
  void Finish(PendingCheck& check);

  Limiter& limiter_;
  DecisionObserver* const observer_;
  const bool log_texts_;
  std::vector<weir::Check*> batch_;
  std::vector<weir::Check*> committing_;
  std::vector<PendingCheck*> idle_;
  std::vector<std::unique_ptr<PendingCheck>> checks_;
};

}  // namespace weir::http_api
