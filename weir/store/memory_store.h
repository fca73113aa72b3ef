#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "weir/core/algorithm/step.h"
#include "weir/store/slot_table.h"
#include "weir/store/store.h"

namespace weir {

struct MemoryStoreOptions {
  // How many keys there is room for.  Each takes 32 bytes (a sliding window 64), reserved in
  // address space at the start and in memory when used: the table has two slots a key, so that at
  // this many keys about one in a thousand finds the 16 slots it may live in all alive.  Then, and
  // in a flood, which fills every slot, the key nearest to full again is forgotten and counted: it
  // starts anew, so that a flood can let a few requests too many pass but never grow the process.
  std::size_t max_keys = 1'000'000;
  // If not 0, a second bound: the table takes at most this many bytes (at least 256).
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
// Two threads that charge a new key for the first time, just when a slot beside it dies, may both
// find it untouched.  Their counts are added up at once; until then each was checked against its
// own.
//
// Thread-safe and lock-free: any thread may commit at any time.
class MemoryStore final : public Store {
 public:
  static constexpr std::size_t kBytesPerKey = 32;

  explicit MemoryStore(const MemoryStoreOptions& options);

  std::size_t Commit(std::span<Check* const> checks, const Now& now) override;

  // Empties dead slots, a part of the table each time, so that all of it is visited once a minute.
  Instant Poll(const Now& now) override;

  NodeId NodeOf(const Hit&) const override { return 0; }

  // Keys alive at the last complete sweep; an estimate that is up to two minutes old.
  std::size_t keys() const { return keys_.load(std::memory_order_relaxed); }
  std::size_t bytes() const { return table_.bytes(); }
  std::uint64_t evictions() const { return table_.evictions(); }

 private:
  enum class Mode : std::uint8_t { kLook, kCharge, kAdd };

  SlotTime TimeOf(const Now& now) const;
  void CommitEach(Check& check, const SlotTime& now);
  void CommitAllOrNothing(Check& check, const SlotTime& now);
  bool TestAll(Check& check, std::size_t enforcing, const SlotTime& now);
  bool ChargeAll(Check& check, std::size_t enforcing, const SlotTime& now);
  void LookAgain(Check& check, std::size_t enforcing, const SlotTime& now);

  Step Apply(const Hit& hit, Mode mode, const SlotTime& now);
  std::uint64_t CarriedState(const Hit& hit, const SlotTime& now) const;
  void ForgetCarried(const Hit& hit, const SlotTime& now);

  SlotTable table_;
  Instant origin_;
  std::atomic<std::size_t> keys_{0};
  std::atomic_flag sweeping_ = ATOMIC_FLAG_INIT;
  std::size_t sweep_cursor_ = 0;
  std::size_t sweep_alive_ = 0;
  Duration sweep_every_{};
  std::atomic<std::int64_t> next_sweep_{0};
};

}  // namespace weir
