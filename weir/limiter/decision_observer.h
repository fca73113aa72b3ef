#pragma once

#include <cstddef>

#include "weir/base/clock.h"
#include "weir/core/check.h"
#include "weir/core/decision.h"
#include "weir/core/descriptor.h"

namespace weir {

// Told of every decision a face makes: logs and histograms hang here, so that faces know neither.
// One for each loop and face; calls come from the loop's thread.
class DecisionObserver {
 public:
  DecisionObserver() = default;
  DecisionObserver(const DecisionObserver&) = delete;
  DecisionObserver& operator=(const DecisionObserver&) = delete;
  virtual ~DecisionObserver() = default;

  // Whether OnDecision() looks at the request's texts.  Where not, a face need not keep them, nor
  // fill in its `id` and `traceparent`.
  virtual bool wants_texts() const = 0;

  // After Settle(), before the check is reused.  `request` may have no descriptors if its texts are
  // gone by now.
  virtual void OnDecision(const Request& request, const Check& check, const Decision& decision,
                          const Now& now) = 0;

  // A batch of `decisions` was answered just now, after the poll at `polled` had brought it.
  virtual void OnBatch(std::size_t decisions, Instant polled) = 0;
};

}  // namespace weir
