#include "weir/failure/held_denials.h"

#include <algorithm>

#include "weir/base/wide.h"

namespace weir {
namespace {

constexpr std::size_t kPlacesPerKey = 2;

std::uint64_t BitsOf(Instant at) {
  return static_cast<std::uint64_t>(at.time_since_epoch().count());
}

Instant InstantOf(std::uint64_t bits) {
  return Instant(Duration(static_cast<std::int64_t>(bits)));
}

}  // namespace

HeldDenials::HeldDenials(std::size_t keys)
    : sets_(std::max<std::size_t>(1, (keys * kPlacesPerKey + kSetSize - 1) / kSetSize)),
      table_(std::make_unique<Set[]>(sets_)) {}

HeldDenials::Set& HeldDenials::SetOf(std::uint64_t id) const {
  // Ids are hashes: their upper bits, scaled, spread evenly over any number of sets.
  const auto scaled = Wide{id} * sets_;
  return table_[static_cast<std::size_t>(scaled >> 64U)];
}

Duration HeldDenials::Left(std::uint64_t id, Instant now) const {
  for (const Place& place : SetOf(id).places) {
    const std::uint64_t until = place.until.load(std::memory_order_relaxed);
    if ((place.key.load(std::memory_order_relaxed) ^ until) != id) continue;
    return std::max(Duration{}, InstantOf(until) - now);
  }
  return {};
}

void HeldDenials::Hold(std::uint64_t id, Instant until, Instant now) {
  if (until <= now) return;
  Place* chosen = nullptr;
  Instant soonest = kNever;
  for (Place& place : SetOf(id).places) {
    const std::uint64_t bits = place.until.load(std::memory_order_relaxed);
    const std::uint64_t key = place.key.load(std::memory_order_relaxed);
    if ((key ^ bits) == id) {
      chosen = &place;
      soonest = now;
      break;
    }
    // An empty place's zero may lie ahead of a clock that counts from elsewhere.
    const Instant end = key == 0 && bits == 0 ? Instant::min() : InstantOf(bits);
    if (chosen == nullptr || end < soonest) {
      chosen = &place;
      soonest = end;
    }
  }
  if (soonest > now) evictions_.fetch_add(1, std::memory_order_relaxed);
  chosen->until.store(BitsOf(until), std::memory_order_relaxed);
  chosen->key.store(id ^ BitsOf(until), std::memory_order_relaxed);
}

void HeldDenials::Forget(std::uint64_t id) {
  for (Place& place : SetOf(id).places) {
    const std::uint64_t until = place.until.load(std::memory_order_relaxed);
    if ((place.key.load(std::memory_order_relaxed) ^ until) != id) continue;
    place.key.store(0, std::memory_order_relaxed);
    place.until.store(0, std::memory_order_relaxed);
  }
}

void HeldDenials::Clear() {
  for (std::size_t i = 0; i < sets_; ++i) {
    for (Place& place : table_[i].places) {
      place.key.store(0, std::memory_order_relaxed);
      place.until.store(0, std::memory_order_relaxed);
    }
  }
}

std::size_t HeldDenials::taken() const {
  std::size_t taken = 0;
  for (std::size_t i = 0; i < sets_; ++i) {
    for (const Place& place : table_[i].places) {
      taken += place.key.load(std::memory_order_relaxed) != 0 ? 1 : 0;
    }
  }
  return taken;
}

}  // namespace weir
