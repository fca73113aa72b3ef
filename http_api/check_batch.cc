#include "http_api/check_batch.h"

namespace weir::http_api {

void PendingCheck::Done() {
  batch_.Finish(*this);
}

void PendingCheck::KeepTexts(const Request& asked) {
  std::size_t count = 0;
  for (const Descriptor& descriptor : asked.descriptors) count += descriptor.entries.size();
  entries_.clear();
  entries_.reserve(count);  // Spans into it must stay.
  descriptors_.assign(asked.descriptors.begin(), asked.descriptors.end());
  for (Descriptor& descriptor : descriptors_) {
    const std::size_t first = entries_.size();
    for (const Entry& entry : descriptor.entries) {
      entries_.push_back({arena.Copy(entry.key), arena.Copy(entry.value)});
    }
    descriptor.entries = {entries_.data() + first, entries_.size() - first};
  }
  request.domain = arena.Copy(asked.domain);
  request.descriptors = descriptors_;
}

void PendingCheck::KeepNames(const net::HttpRequest& http) {
  request.id = arena.Copy(http.header("x-request-id").value_or(std::string_view()));
  request.traceparent = arena.Copy(http.header("traceparent").value_or(std::string_view()));
}

void CheckBatch::Add(const Request& request, const net::HttpRequest& http,
                     net::HttpExchange& exchange, DecisionSink& sink, int tag, Keep keep) {
  // A newer policy is adopted only between batches: what is matched must stay alive until it is
  // committed.
  if (batch_.empty()) limiter_.BeginTurn();
  if (idle_.empty()) {
    checks_.push_back(std::make_unique<PendingCheck>(*this));
    idle_.push_back(checks_.back().get());
  }
  PendingCheck* const check = idle_.back();
  idle_.pop_back();
  limiter_.Match(request, http.now, *check);
  check->exchange = &exchange;
  check->sink = &sink;
  check->now = http.now;
  check->request = {};
  check->request.cost = request.cost;
  check->request.cost_given = request.cost_given;
  if (keep == Keep::kTexts || log_texts_) check->KeepTexts(request);
  if (log_texts_) check->KeepNames(http);
  check->tag = tag;
  exchange.context = check;
  batch_.push_back(check);
}

void CheckBatch::Commit() {
  if (batch_.empty()) return;
  committing_.swap(batch_);
  const Now now = static_cast<PendingCheck*>(committing_.back())->now;
  limiter_.Commit(committing_, now);
  for (weir::Check* const check : committing_) {
    if (!check->pending) Finish(static_cast<PendingCheck&>(*check));
  }
  if (observer_ != nullptr) observer_->OnBatch(committing_.size(), now.steady);
  committing_.clear();
}

void CheckBatch::Cancel(net::HttpExchange& exchange) {
  if (exchange.context != nullptr) {
    static_cast<PendingCheck*>(exchange.context)->exchange = nullptr;
  }
}

void CheckBatch::Finish(PendingCheck& check) {
  const Decision decision = limiter_.Settle(check);
  if (observer_ != nullptr) observer_->OnDecision(check.request, check, decision, check.now);
  if (check.exchange != nullptr) check.sink->OnDecision(check, decision);
  check.Clear();
  check.exchange = nullptr;
  idle_.push_back(&check);
}

}  // namespace weir::http_api
