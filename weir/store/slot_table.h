#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "weir/base/clock.h"
#include "weir/core/quota.h"

namespace weir {

// The memory behind MemoryStore: 16-byte slots, four to a cache line, swapped whole.
//
//   identity: 56 bits of the key's hash | 2 bits kind | 6 bits log2 of the window
//   state:    as the algorithm packs it (gcra.h, window.h)
//
// Whether a slot is dead (full again, window over) can be told from the slot alone.  A key lives in
// one of the 16 slots of four neighbouring lines.  All-zero is empty.
struct Slot {
  std::uint64_t identity = 0;
  std::uint64_t state = 0;

  bool operator==(const Slot&) const = default;
};

// Sliding windows take two slots, one for each parity of the window's number.
enum class SlotKind : std::uint8_t { kTokenBucket, kFixedWindow, kSlidingEven, kSlidingOdd };

// Both clocks, as slots count them.
struct SlotTime {
  std::int64_t ticks = 0;
  WallTime wall;
};

std::uint64_t IdentityOf(std::uint64_t id, SlotKind kind, std::uint32_t log2);
SlotKind KindOf(std::uint64_t identity);

// Whether nothing would be lost with the slot.  An empty slot is dead.
bool IsDead(Slot slot, const SlotTime& now);

// How long until it is, roughly; the order in which slots are given up.
Duration LifeLeft(Slot slot, const SlotTime& now);

// The state of one counter that was split in two by racing insertions.
std::uint64_t MergeStates(Slot kept, std::uint64_t other, const SlotTime& now);

// A fixed array of slots in memory that the kernel hands out page by page, so an idle table costs
// nothing.  Lock-free: every change is one 16-byte compare-and-swap of identity and state together.
// Thread-safe.
class SlotTable {
 public:
  static constexpr std::size_t kSlotsPerLine = 4;
  static constexpr std::size_t kProbedLines = 4;
  static constexpr std::size_t kProbedSlots = kSlotsPerLine * kProbedLines;

  // REQUIRES: lines >= kProbedLines.  Ends the process if the address space is exhausted.
  explicit SlotTable(std::size_t lines);
  ~SlotTable();
  SlotTable(const SlotTable&) = delete;
  SlotTable& operator=(const SlotTable&) = delete;

  void Prefetch(std::uint64_t id) const { __builtin_prefetch(&slots_[FirstSlot(id)], 1); }

  // A place in the table and what was read there.
  struct Place {
    std::size_t index = kNowhere;
    Slot seen;
  };
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  // Where the counter is; kNowhere if it is not there.
  Place Find(std::uint64_t id, std::uint64_t identity) const;

  // Replaces what `place` saw.  False if somebody else changed the slot since.
  bool Replace(const Place& place, Slot with);

  // Puts a new counter into the first dead slot of its lines or, where all are alive, into the one
  // nearest to its death, which is then forgotten.  False if a race was lost or the counter is
  // there already: look again.
  bool Insert(std::uint64_t id, Slot slot, const SlotTime& now);

  // Empties dead slots among `lines` lines from `*cursor` on, and moves the cursor, around the end.
  // Returns how many live slots it passed.
  std::size_t Sweep(std::size_t* cursor, std::size_t lines, const SlotTime& now);

  std::size_t lines() const { return lines_; }
  std::size_t bytes() const { return lines_ * kSlotsPerLine * sizeof(Slot); }
  std::uint64_t evictions() const { return evictions_.load(std::memory_order_relaxed); }

 private:
  std::size_t FirstSlot(std::uint64_t id) const;
  std::size_t Wrap(std::size_t index) const {
    return index < slot_count_ ? index : index - slot_count_;
  }
  Slot Load(std::size_t index) const;
  void ResolveDuplicates(std::uint64_t id, std::uint64_t identity, const SlotTime& now);

  Slot* slots_;
  std::size_t lines_;
  std::size_t slot_count_;
  std::atomic<std::uint64_t> evictions_{0};
};

}  // namespace weir
