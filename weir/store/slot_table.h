#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "weir/base/clock.h"
#include "weir/base/wide.h"
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

inline std::uint64_t IdentityOf(std::uint64_t id, SlotKind kind, std::uint32_t log2) {
  const std::uint64_t hash =
      id << 8U;  // The line is chosen by the upper bits: keep the lower ones.
  const std::uint64_t some = hash != 0 ? hash : 1ULL << 8U;
  return some | static_cast<std::uint64_t>(kind) << 6U | (log2 & 63U);
}
SlotKind KindOf(std::uint64_t identity);

// Whether nothing would be lost with the slot.  An empty slot is dead.
bool IsDead(Slot slot, const SlotTime& now);

// How long until it is, roughly; the order in which slots are given up.
Duration LifeLeft(Slot slot, const SlotTime& now);

// A new counter takes its slot in two steps: reserved, then, once no other slot has the same
// counter, filled.  Reserved slots hold nothing and are dead.  The states that mark them are no
// counter's: a window without a count, or a tick before kFirstTick.
inline constexpr std::int64_t kFirstTick = std::int64_t{1} << 33U;
inline bool IsReserved(Slot slot) {
  constexpr std::uint64_t kCountBits = (std::uint64_t{1} << 40U) - 1;
  if (static_cast<SlotKind>(slot.identity >> 6U & 3U) != SlotKind::kTokenBucket) {
    return (slot.state & kCountBits) == 0;
  }
  return slot.state < static_cast<std::uint64_t>(kFirstTick);
}

// A fixed array of slots in memory that the kernel hands out page by page, so an idle table costs
// nothing.  Lock-free: every change is one 16-byte compare-and-swap of identity and state together.
// A counter is never in two slots at once.
//
// Thread-safe.
class SlotTable {
 public:
  static constexpr std::size_t kSlotsPerLine = 4;
  static constexpr std::size_t kProbedLines = 4;
  static constexpr std::size_t kProbedSlots = kSlotsPerLine * kProbedLines;

  // At most `most` slots are ever in use; further ones only keep lines from filling up.
  // REQUIRES: lines >= kProbedLines, most >= 1.  Ends the process if the address space is
  // exhausted.
  SlotTable(std::size_t lines, std::size_t most);
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
  Place Find(std::uint64_t id, std::uint64_t identity) const {
    std::size_t line = FirstSlot(id);
    for (std::size_t probed = 0; probed < kProbedLines; ++probed) {
      for (std::size_t index = line; index < line + kSlotsPerLine; ++index) {
        if (Read(slots_[index].identity) != identity) continue;
        const Slot seen = Load(index);
        if (seen.identity == identity && !IsReserved(seen)) return {index, seen};
      }
      line = Wrap(line + kSlotsPerLine);
    }
    return {};
  }

  // Replaces what `place` saw.  False if somebody else changed the slot since.
  bool Replace(const Place& place, Slot with) { return Swap(place.index, place.seen, with); }

  // Empties what `place` saw.  False as above.
  bool Remove(const Place& place);

  // Puts a new counter into a dead or empty slot of its lines.  Where `most` slots are in use, or
  // all of its lines are alive, the counter nearest to its death goes instead, and is forgotten.
  // False if a race was lost or the counter is there already: look again.
  bool Insert(std::uint64_t id, Slot slot, const SlotTime& now);

  // Empties dead slots among `lines` lines from `*cursor` on, and moves the cursor, around the end.
  void Sweep(std::size_t* cursor, std::size_t lines, const SlotTime& now);

  std::size_t lines() const { return lines_; }
  std::size_t bytes() const { return lines_ * kSlotsPerLine * sizeof(Slot); }
  // Never above `most`.  Dead ones that no sweep has met are among them.
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  std::uint64_t evictions() const { return evictions_.load(std::memory_order_relaxed); }

 private:
  // What one look around tells an insertion.
  struct Choice {
    Place empty;
    Place taken;      // The best of those in use.
    Duration left{};  // Its life.
    bool there = false;
  };

  static std::uint64_t Read(std::uint64_t& word) {
    return std::atomic_ref<std::uint64_t>(word).load(std::memory_order_acquire);
  }
  std::size_t FirstSlot(std::uint64_t id) const {
    return static_cast<std::size_t>(static_cast<Wide>(id) * lines_ >> 64U) * kSlotsPerLine;
  }
  std::size_t Wrap(std::size_t index) const {
    return index < slot_count_ ? index : index - slot_count_;
  }
  Slot Load(std::size_t index) const {
    Slot& slot = slots_[index];
    for (;;) {
      const std::uint64_t identity = Read(slot.identity);
      const std::uint64_t state = Read(slot.state);
      if (std::atomic_ref<std::uint64_t>(slot.identity).load(std::memory_order_relaxed) == identity)
        return {identity, state};
    }
  }
  bool Swap(std::size_t index, Slot from, Slot to) {
    const auto pack = [](Slot s) { return static_cast<Wide>(s.state) << 64U | s.identity; };
    return __sync_bool_compare_and_swap(reinterpret_cast<Wide*>(&slots_[index]), pack(from),
                                        pack(to));
  }

  Choice LookAround(std::size_t first, std::uint64_t identity, const SlotTime& now) const;
  bool CountOne();
  bool Reserve(std::size_t first, Place& mine, const SlotTime& now);
  bool MakeRoom(std::size_t first, const SlotTime& now);
  bool DropRivals(std::size_t first, const Place& mine);

  Slot* slots_;
  std::size_t lines_;
  std::size_t slot_count_;
  std::size_t most_;
  alignas(64) std::atomic<std::size_t> used_{0};
  std::atomic<std::uint64_t> reservations_{0};
  std::atomic<std::uint64_t> evictions_{0};
};

}  // namespace weir
