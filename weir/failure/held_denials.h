#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "weir/base/clock.h"

namespace weir {

// Denials of a store, remembered so that they can be given again without asking it: counter id ->
// until when a request for one unit or more is denied in any case.
//
// Bounded: a fixed table of two places a key, each key living in one of eight.  Up to `keys`
// denials held at once, fewer than one in fifty finds its eight places taken; then, as in a flood,
// the one that ends soonest is forgotten and counted.  A forgotten denial costs a call to the
// store, never a wrong answer.
//
// Driven by the times it is given; reads no clock.  Allocates when it is made and never again.
// Thread-safe and lock-free: shared by all loops of an instance.  Two threads that hold different
// ids in one place at the same moment may leave neither there.
class HeldDenials {
 public:
  static constexpr std::size_t kBytesPerKey = 32;

  // Room for `keys` (at least 4), in kBytesPerKey each.
  explicit HeldDenials(std::size_t keys);
  HeldDenials(const HeldDenials&) = delete;
  HeldDenials& operator=(const HeldDenials&) = delete;

  // How long from `now` on `id` is still denied; zero if it is not held.
  // REQUIRES: id != 0 here and below, as Hit::id.
  Duration Left(std::uint64_t id, Instant now) const;

  // Remembers that `id` is denied before `until`; what was held for it before is replaced.  Nothing
  // to do for a moment that has passed.
  void Hold(std::uint64_t id, Instant until, Instant now);

  // Ends one denial early: after a refund.
  void Forget(std::uint64_t id);

  // Ends all of them: after a switch that no id tells of.
  void Clear();

  // Places taken, also by denials that have ended since and were not yet replaced.
  std::size_t taken() const;
  // Denials given up before their end for want of a place.
  std::uint64_t evictions() const { return evictions_.load(std::memory_order_relaxed); }
  std::size_t bytes() const { return sets_ * kSetSize * sizeof(Place); }

 private:
  static constexpr std::size_t kSetSize = 8;

  // `key` is the id xor the instant: a pair torn by two writers reads as an id that nobody asks
  // for, so that neither half needs a lock.  Zero and zero: empty.
  struct Place {
    std::atomic<std::uint64_t> key{0};
    std::atomic<std::uint64_t> until{0};
  };
  struct alignas(64) Set {
    Place places[kSetSize];
  };

  Set& SetOf(std::uint64_t id) const;

  std::size_t sets_;
  std::unique_ptr<Set[]> table_;
  std::atomic<std::uint64_t> evictions_{0};
};

}  // namespace weir
