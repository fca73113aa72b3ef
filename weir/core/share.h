#pragma once

#include <cstdint>

#include "weir/base/wide.h"

namespace weir {

// An instance's part of a limit: part / whole, at most 1.
//
// An even share also has a rank, by which whole numbers are split without loss: the instances with
// the lowest ranks take what division leaves over.  A share without a rank takes the floor.
struct Share {
  static constexpr std::uint64_t kNoRank = ~std::uint64_t{0};

  std::uint64_t part = 1;        // In [0, whole].
  std::uint64_t whole = 1;       // In [1, 2^40].
  std::uint64_t rank = kNoRank;  // Of `whole` instances, if part is 1; else kNoRank.

  bool operator==(const Share&) const = default;
};

// This share of `units`, in whole units: with ranks 0 to N - 1 the parts sum to `units`.
constexpr std::uint64_t PartOf(std::uint64_t units, const Share& share) {
  if (share.rank != Share::kNoRank) {
    return units / share.whole + (share.rank < units % share.whole ? 1 : 0);
  }
  return static_cast<std::uint64_t>(static_cast<Wide>(units) * share.part / share.whole);
}

// This share of a limit: as PartOf(), but at least 1 of a limit above zero unless `strict`.  So N
// instances together admit at most max(limit, N).
constexpr std::uint64_t CapOf(std::uint64_t limit, const Share& share, bool strict) {
  const std::uint64_t part = PartOf(limit, share);
  return part == 0 && limit > 0 && !strict ? 1 : part;
}

}  // namespace weir
