#include "weir/store/slot_table.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <sys/mman.h>

#include "weir/base/wide.h"
#include "weir/core/algorithm/window.h"

namespace weir {
namespace {

constexpr std::uint32_t Log2In(std::uint64_t identity) {
  return static_cast<std::uint32_t>(identity & 63U);
}

// A sliding count still weighs in during the window after its own, and a window is up to two units
// of 2^log2 long.
constexpr std::uint32_t GraceOf(SlotKind kind) {
  return kind == SlotKind::kFixedWindow ? 0 : 2;
}

std::uint64_t Read(std::uint64_t& word, std::memory_order order) {
  return std::atomic_ref<std::uint64_t>(word).load(order);
}

bool Swap(Slot* slot, Slot from, Slot to) {
  const auto pack = [](Slot s) { return static_cast<Wide>(s.state) << 64U | s.identity; };
  return __sync_bool_compare_and_swap(reinterpret_cast<Wide*>(slot), pack(from), pack(to));
}

}  // namespace

std::uint64_t IdentityOf(std::uint64_t id, SlotKind kind, std::uint32_t log2) {
  const std::uint64_t hash =
      id << 8U;  // The line is chosen by the upper bits: keep the lower ones.
  const std::uint64_t some = hash != 0 ? hash : 1ULL << 8U;
  return some | static_cast<std::uint64_t>(kind) << 6U | (log2 & 63U);
}

SlotKind KindOf(std::uint64_t identity) {
  return static_cast<SlotKind>(identity >> 6U & 3U);
}

bool IsDead(Slot slot, const SlotTime& now) {
  if (slot.state == 0) return true;
  const SlotKind kind = KindOf(slot.identity);
  if (kind == SlotKind::kTokenBucket) return static_cast<std::int64_t>(slot.state) <= now.ticks;
  return WindowState(slot.state).IsOver(now.wall, Log2In(slot.identity), GraceOf(kind));
}

Duration LifeLeft(Slot slot, const SlotTime& now) {
  if (IsDead(slot, now)) return {};
  const SlotKind kind = KindOf(slot.identity);
  if (kind == SlotKind::kTokenBucket) {
    return Duration((static_cast<std::int64_t>(slot.state) - now.ticks) / Quota::kTicksPerNano);
  }
  const std::uint32_t log2 = Log2In(slot.identity);
  const auto ns = static_cast<std::uint64_t>(now.wall.time_since_epoch().count());
  const std::uint32_t end = WindowState(slot.state).name() + GraceOf(kind);
  const std::uint32_t units =
      (end - static_cast<std::uint32_t>(ns >> log2)) & ((1U << WindowState::kNameBits) - 1);
  const Wide left = static_cast<Wide>(units) << log2;
  constexpr auto kMost = static_cast<Wide>(Duration::max().count());
  return Duration(static_cast<std::int64_t>(std::min(left, kMost)));
}

std::uint64_t MergeStates(Slot kept, std::uint64_t other, const SlotTime& now) {
  if (KindOf(kept.identity) == SlotKind::kTokenBucket) {
    const auto debt = [&](std::uint64_t state) {
      return std::max<std::int64_t>(0, static_cast<std::int64_t>(state) - now.ticks);
    };
    return static_cast<std::uint64_t>(now.ticks + debt(kept.state) + debt(other));
  }
  const WindowState a(kept.state);
  const WindowState b(other);
  // Names count up and wrap around: of two windows the later one's count is the one that stands.
  constexpr std::uint32_t kWrap = 32U - WindowState::kNameBits;
  if (static_cast<std::int32_t>((b.name() - a.name()) << kWrap) > 0 && b.count() != 0) return other;
  const std::uint64_t more = std::min(b.CountIn(a.name()), WindowState::kMostCount - a.count());
  return WindowState(a.name(), a.count() + more).bits();
}

SlotTable::SlotTable(std::size_t lines) : lines_(lines), slot_count_(lines * kSlotsPerLine) {
  void* const memory = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::fprintf(stderr, "weir: cannot reserve %zu bytes for the key table\n", bytes());
    std::abort();
  }
  slots_ = static_cast<Slot*>(memory);
}

SlotTable::~SlotTable() {
  munmap(slots_, bytes());
}

std::size_t SlotTable::FirstSlot(std::uint64_t id) const {
  return static_cast<std::size_t>(static_cast<Wide>(id) * lines_ >> 64U) * kSlotsPerLine;
}

Slot SlotTable::Load(std::size_t index) const {
  Slot& slot = slots_[index];
  for (;;) {
    const std::uint64_t identity = Read(slot.identity, std::memory_order_acquire);
    const std::uint64_t state = Read(slot.state, std::memory_order_acquire);
    if (Read(slot.identity, std::memory_order_relaxed) == identity) return {identity, state};
  }
}

SlotTable::Place SlotTable::Find(std::uint64_t id, std::uint64_t identity) const {
  std::size_t line = FirstSlot(id);
  for (std::size_t probed = 0; probed < kProbedLines; ++probed) {
    for (std::size_t index = line; index < line + kSlotsPerLine; ++index) {
      if (Read(slots_[index].identity, std::memory_order_acquire) != identity) continue;
      const Slot seen = Load(index);
      if (seen.identity == identity) return {index, seen};
    }
    line = Wrap(line + kSlotsPerLine);
  }
  return {};
}

bool SlotTable::Replace(const Place& place, Slot with) {
  return Swap(&slots_[place.index], place.seen, with);
}

bool SlotTable::Insert(std::uint64_t id, Slot slot, const SlotTime& now) {
  const std::size_t first = FirstSlot(id);
  Place victim;
  Duration least = Duration::max();
  for (std::size_t i = 0; i < kProbedSlots && least > Duration{}; ++i) {
    const std::size_t index = Wrap(first + i);
    const Slot seen = Load(index);
    if (seen.identity == slot.identity) return false;
    const Duration left = LifeLeft(seen, now);
    if (victim.index == kNowhere || left < least) {
      victim = {index, seen};
      least = left;
    }
  }
  if (!Swap(&slots_[victim.index], victim.seen, slot)) return false;
  if (least > Duration{}) evictions_.fetch_add(1, std::memory_order_relaxed);
  ResolveDuplicates(id, slot.identity, now);
  return true;
}

// Two threads may put the same new key into two slots, when a slot dies between their looks.  Both
// look again after inserting, so at least one sees both; the later slot is then emptied, and what
// it held is added to the earlier one, which is the one that everybody finds.
void SlotTable::ResolveDuplicates(std::uint64_t id, std::uint64_t identity, const SlotTime& now) {
  const std::size_t first = FirstSlot(id);
  Place kept;
  for (std::size_t i = 0; i < kProbedSlots; ++i) {
    Place place{Wrap(first + i), {}};
    place.seen = Load(place.index);
    if (place.seen.identity != identity) continue;
    if (kept.index == kNowhere) {
      kept = place;
      continue;
    }
    while (!Swap(&slots_[place.index], place.seen, Slot{})) {
      place.seen = Load(place.index);
      if (place.seen.identity != identity) break;
    }
    if (place.seen.identity != identity) continue;
    for (;;) {
      kept.seen = Load(kept.index);
      if (kept.seen.identity != identity) break;  // Evicted meanwhile, and its count with it.
      if (Swap(&slots_[kept.index], kept.seen,
               {identity, MergeStates(kept.seen, place.seen.state, now)})) {
        break;
      }
    }
  }
}

std::size_t SlotTable::Sweep(std::size_t* cursor, std::size_t lines, const SlotTime& now) {
  std::size_t alive = 0;
  const std::size_t count = std::min(lines, lines_) * kSlotsPerLine;
  std::size_t index = *cursor % lines_ * kSlotsPerLine;
  for (std::size_t i = 0; i < count; ++i, index = Wrap(index + 1)) {
    const Slot seen = Load(index);
    if (seen.identity == 0) continue;
    if (IsDead(seen, now)) {
      Swap(&slots_[index], seen, Slot{});
    } else {
      ++alive;
    }
  }
  *cursor = index / kSlotsPerLine;
  return alive;
}

}  // namespace weir
