#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "weir/core/algorithm/step.h"
#include "weir/store/slot_table.h"
#include "weir/store/store.h"

namespace weir {

struct MemoryStoreOptions {
  // How many keys there may be; a sliding window counts as two.  Each takes 32 bytes, reserved in
  // address space at the start and in memory when used: the table has two slots a key, so that one
  // whose 16 slots are all taken is rare.  At the bound the key nearest to full again, of those
  // nearby, is forgotten and counted: it starts anew, so that a flood can let a few requests too
  // many pass but never grow the process.
  std::size_t max_keys = 1'000'000;
  // If not 0, a second bound: the table takes at most this many bytes (at least 32).
  std::size_t max_bytes = 0;
  // Where the clocks stand when the store is made.
  Now now{};
};

// Counts in this process's memory.  Complete on return: never leaves a check pending.
//
// All-or-nothing checks of several hits are tested first and then charged in order; where a race
// with another thread is lost in between, what was charged is given back.  That may deny a racer
// that alone would have passed, and never admits one too many.
//
// Thread-safe and lock-free: any thread may commit at any time.
class MemoryStore final : public Store {
 public:
  static constexpr std::size_t kBytesPerKey = 32;

  explicit MemoryStore(const MemoryStoreOptions& options);

  std::size_t Commit(std::span<Check* const> checks, const Now& now) override;

  // Empties dead slots, a part of the table each time, so that all of it is visited every 20 s (for
  // tables of more than 8 million keys, a little less often).
  Instant Poll(const Now& now) override;

  NodeId NodeOf(const Hit&) const override { return 0; }

  // Keys in the table, those that died since the last sweep among them.  Never above the bound.
  std::size_t keys() const { return table_.used(); }
  std::size_t bytes() const { return table_.bytes(); }
  std::uint64_t evictions() const { return table_.evictions(); }

 private:
  enum class Mode : std::uint8_t { kLook, kCharge, kAdd };

  SlotTime TimeOf(const Now& now) const;
  bool ChargeKnownBucket(const Hit& hit, Outcome& outcome, const SlotTime& now);
  void CommitEach(Check& check, const SlotTime& now);
  void CommitStandingStill(Check& check, const SlotTime& now);
  void CommitAllOrNothing(Check& check, const SlotTime& now);
  bool TestAll(Check& check, std::size_t enforcing, const SlotTime& now);
  bool ChargeAll(Check& check, std::size_t enforcing, const SlotTime& now);
  void GiveBack(const Check& check, std::size_t hits, const SlotTime& now);
  void LookAgain(Check& check, std::size_t hits, const SlotTime& now);

  template <typename Next>
  Step Update(const Hit& hit, std::uint64_t identity, Mode mode, const SlotTime& now,
              const Next& next);
  Step Apply(const Hit& hit, Mode mode, const SlotTime& now);
  std::uint64_t CarriedState(const Hit& hit, const SlotTime& now) const;
  void ForgetCarried(const Hit& hit, const SlotTime& now);

  SlotTable table_;
  Instant origin_;
  std::atomic_flag sweeping_ = ATOMIC_FLAG_INIT;
  std::size_t sweep_cursor_ = 0;
  Duration sweep_every_{};
  std::atomic<std::int64_t> next_sweep_{0};
};

}  // namespace weir
