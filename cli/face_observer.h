#pragma once

#include "observe/decision_log.h"
#include "observe/histogram.h"
#include "weir/base/counter.h"
#include "weir/limiter/decision_observer.h"

namespace weir::cli {

// What one loop's face reports of its decisions: how many, how long they took by `clock`, and, if
// there is a log, which they were.  Written by its loop only; the readings are anyone's.
class FaceObserver final : public DecisionObserver {
 public:
  // `log` may be null; else both must outlive this.
  FaceObserver(const Clock& clock, observe::DecisionLog* log) : clock_(clock), log_(log) {}

  bool wants_texts() const override { return log_ != nullptr; }
  void OnDecision(const Request& request, const Check& check, const Decision& decision,
                  const Now& now) override {
    decisions_.Add(1);
    if (log_ != nullptr) log_->Note(request, check, decision, now);
  }
  void OnBatch(std::size_t decisions, Instant polled) override {
    took_.Add(clock_.Read().steady - polled, decisions);
  }

  std::uint64_t decisions() const { return decisions_.Read(); }
  observe::HistogramTotals took() const { return took_.Totals(); }

 private:
  const Clock& clock_;
  observe::DecisionLog* const log_;
  CounterCell decisions_;
  observe::Histogram took_;
};

}  // namespace weir::cli
