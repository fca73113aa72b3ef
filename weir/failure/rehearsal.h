#pragma once

#include <cstdint>

#include "weir/core/check.h"
#include "weir/core/failure_policy.h"
#include "weir/failure/caught_keys.h"
#include "weir/failure/mirror.h"

namespace weir {

// What each rule's mode would have answered, all the time: a second set of local levels, charged by
// its own verdicts and never corrected by the store, on a sample of keys.  How often it agrees with
// the store says what an outage would cost before there is one.
//
// The sample is a part of all keys, the same on every instance and at every time.  Bounded by
// `keys`.  Thread-safe.
class Rehearsal {
 public:
  // `part` of all keys, from 0 to 1.
  Rehearsal(std::size_t keys, double part);

  bool Samples(const Hit& hit) const;

  // The store gave `outcome`; `mode` is the rule's, `caught` as things stood before it.
  // REQUIRES: Samples(hit), and no cause.
  Rehearsed Answer(const Hit& hit, const Outcome& outcome, FailureMode mode, const Portion& portion,
                   const CaughtKeys::Hold& caught, const Moment& now);

 private:
  Mirror levels_;
  std::uint64_t below_;  // Hashes below this are in the sample.
};

}  // namespace weir
