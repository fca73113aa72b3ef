#pragma once

#include <string_view>

#include "weir/core/check.h"

namespace weir {

struct MatchOptions {
  // Compose Hit::key for native rules too: for stores that keep texts, and for logs.
  bool keys = false;
  // Reference profile: put in front of every key (CACHE_KEY_PREFIX).
  std::string_view key_prefix{};
  // Reference profile: STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT; see Standstill.
  bool stand_still_when_over = false;
};

// Finds the rule of each descriptor and writes the hits to charge, in three steps:
//
// 1. Each descriptor walks the policy's tree, one entry a level.  A rule applies only at its own
//    depth: to a descriptor with exactly as many entries.  A limit that the descriptor brings along
//    applies instead of the rule's; with an unknown unit it is void.
// 2. Rules named in the `replaces` of another matched rule of the same request step aside.
// 3. What is left becomes hits: those that can deny first (native profile), or in the order of the
//    descriptors (reference profile).
//
// `check` is cleared first.  Texts in it point into `request` or into the check's arena; `request`
// may go once this returns, except that Hit::key and DescriptorMatch::stat_key stay valid.
// Pure: no clock, no allocation beyond what `check` keeps.
void Match(const Policy& policy, const Request& request, const Now& now,
           const MatchOptions& options, Check& check);

}  // namespace weir
