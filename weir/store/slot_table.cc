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

// Told apart by a number, so that nobody takes a later reservation of the same slot for his own.
// Numbers come around after 16 million insertions.
Slot ReservationOf(std::uint64_t identity, std::uint64_t number) {
  const std::uint64_t mark = number % ((1U << WindowState::kNameBits) - 1) + 1;
  const bool bucket = KindOf(identity) == SlotKind::kTokenBucket;
  return {identity, bucket ? mark : mark << 40U};
}

}  // namespace

SlotKind KindOf(std::uint64_t identity) {
  return static_cast<SlotKind>(identity >> 6U & 3U);
}

bool IsDead(Slot slot, const SlotTime& now) {
  if (slot.identity == 0 || IsReserved(slot)) return true;
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

SlotTable::SlotTable(std::size_t lines, std::size_t most)
    : lines_(lines), slot_count_(lines * kSlotsPerLine), most_(most) {
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

bool SlotTable::Remove(const Place& place) {
  if (!Swap(place.index, place.seen, {})) return false;
  used_.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

SlotTable::Choice SlotTable::LookAround(std::size_t first, std::uint64_t identity,
                                        const SlotTime& now) const {
  Choice choice;
  for (std::size_t i = 0; i < kProbedSlots; ++i) {
    const std::size_t index = Wrap(first + i);
    const Slot seen = Load(index);
    if (seen.identity == 0) {
      if (choice.empty.index == kNowhere) choice.empty = {index, seen};
      continue;
    }
    if (seen.identity == identity && !IsReserved(seen)) choice.there = true;
    const Duration left = LifeLeft(seen, now);
    if (choice.taken.index != kNowhere && left >= choice.left) continue;
    choice.taken = {index, seen};
    choice.left = left;
  }
  return choice;
}

// Not added first and taken back at the bound: until then a racer would find the table full.
bool SlotTable::CountOne() {
  std::size_t used = used_.load(std::memory_order_relaxed);
  while (used < most_) {
    if (used_.compare_exchange_weak(used, used + 1, std::memory_order_relaxed)) return true;
  }
  return false;
}

// Puts the reservation of `mine` somewhere, and says there where.
bool SlotTable::Reserve(std::size_t first, Place& mine, const SlotTime& now) {
  const Choice choice = LookAround(first, mine.seen.identity, now);
  if (choice.there) return false;
  const bool any_taken = choice.taken.index != kNowhere;
  bool counted = false;
  Place at = choice.taken;
  if (choice.empty.index != kNowhere && (!any_taken || choice.left > Duration{})) {
    counted = CountOne();
    if (!counted && !any_taken) counted = MakeRoom(first, now);
    if (counted) at = choice.empty;
  }
  if (at.index == kNowhere) return false;
  if (!Swap(at.index, at.seen, mine.seen)) {
    if (counted) used_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  if (!counted && choice.left > Duration{}) evictions_.fetch_add(1, std::memory_order_relaxed);
  mine.index = at.index;
  return true;
}

// The table has all it may have and none of it nearby: takes the best of the next lines that have
// any.  What it held counts as in use until the caller has filled another slot instead.
bool SlotTable::MakeRoom(std::size_t first, const SlotTime& now) {
  for (std::size_t passed = kProbedSlots; passed < slot_count_; passed += kProbedSlots) {
    const Choice choice = LookAround(Wrap(first + passed), 0, now);
    if (choice.taken.index == kNowhere) continue;
    if (!Swap(choice.taken.index, choice.taken.seen, {})) return false;
    if (choice.left > Duration{}) evictions_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  return false;
}

// Two threads may reserve two slots for the same new counter when a slot dies between their looks.
// Each reserves before it looks for the other, so at least one sees the other, and takes the
// other's reservation away; who lost his own starts over.  A filled slot stands.
bool SlotTable::DropRivals(std::size_t first, const Place& mine) {
  for (std::size_t i = 0; i < kProbedSlots; ++i) {
    Place rival{Wrap(first + i), {}};
    if (rival.index == mine.index) continue;
    do {
      rival.seen = Load(rival.index);
      if (rival.seen.identity != mine.seen.identity) break;
      if (!IsReserved(rival.seen)) return false;
    } while (!Remove(rival));
  }
  return true;
}

bool SlotTable::Insert(std::uint64_t id, Slot slot, const SlotTime& now) {
  const std::size_t first = FirstSlot(id);
  const std::uint64_t number = reservations_.fetch_add(1, std::memory_order_relaxed);
  Place mine{kNowhere, ReservationOf(slot.identity, number)};
  if (!Reserve(first, mine, now)) return false;
  if (DropRivals(first, mine)) return Replace(mine, slot);
  Remove(mine);
  return false;
}

void SlotTable::Sweep(std::size_t* cursor, std::size_t lines, const SlotTime& now) {
  const std::size_t count = std::min(lines, lines_) * kSlotsPerLine;
  std::size_t index = *cursor % lines_ * kSlotsPerLine;
  for (std::size_t i = 0; i < count; ++i, index = Wrap(index + 1)) {
    const Slot seen = Load(index);
    if (seen.identity != 0 && IsDead(seen, now)) Remove({index, seen});
  }
  *cursor = index / kSlotsPerLine;
}

}  // namespace weir
