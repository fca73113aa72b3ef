#pragma once

#include <cstdint>
#include <vector>

#include "weir/core/check.h"
#include "weir/core/decision.h"

namespace weir {

// Derives what people and wires want to know from what the store counted: `remaining` and `next`
// of an outcome.
void CompleteLevel(const Hit& hit, Outcome& outcome);

// How a completed check is decided.
//
// A request passes if every enforcing rule agrees.  If any counted enforcing rule denies it is
// denied, with the longest wait; else if a rule that fails closed has no count it is unavailable.
// Soft rules deny only if all soft rules of the request do.  Rules that are not enforced change
// nothing but `would_deny`.  Refunds never deny.  The binding rule of a request that passes is the
// enforcing one with the least remaining, the first among equals.
//
// Under Charging::kEach (the reference profile) shadow and soft rules are told by the rule.
// Completes the levels of its outcomes, which what follows relies on.
// REQUIRES: `check` is complete.  Pure otherwise.
Decision Settle(Check& check);

// One descriptor's part of the answer; see RateLimitResponse.DescriptorStatus.
struct DescriptorStatus {
  bool over = false;
  bool unlimited = false;
  const Rule* rule = nullptr;    // Null if nothing finite applied.
  const Quota* quota = nullptr;  // Null if nothing finite applied.
  std::uint64_t remaining = 0;
  Duration reset{};
  Duration retry{};

  bool operator==(const DescriptorStatus&) const = default;
};

// One status for each descriptor, in order, into `out`.  A rule that is not enforced never reads
// as over.  Settle() and this agree: the request is denied if and only if a hard status is over, or
// all soft ones are.
void StatusesOf(const Check& check, std::vector<DescriptorStatus>& out);

// What a hit adds to its rule's counters, in the reference service's meaning: hits within the
// limit, hits above `near_ratio` of it, hits beyond it, and those of the last that a shadow rule
// let pass.  Hits that only looked, their check standing still, count where the counter stands.
// Refunds add nothing.
struct Attribution {
  std::uint64_t total = 0;
  std::uint64_t within = 0;
  std::uint64_t near = 0;
  std::uint64_t over = 0;
  std::uint64_t shadow = 0;

  bool operator==(const Attribution&) const = default;
};
Attribution AttributionOf(const Hit& hit, const Outcome& outcome, Charging charging,
                          float near_ratio);

}  // namespace weir
