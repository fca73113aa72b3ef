#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>

#include "weir/base/clock.h"

namespace weir {

// What an instance remembers about keys: a fixed table of entries, found by the counter's id.
//
// Bounded: each key lives in one of eight places; where all are taken the one least recently used
// is forgotten and counted.  Memory is address space until it is used.  Nothing is allocated after
// the table is made.
//
// `Entry` is trivially copyable, all-zero is empty, and has
//   std::uint64_t id;       // 0: nobody
//   std::int64_t touched;   // ns, steady; kept by the table
//
// Thread-safe: striped locks.  The functions given are run under one and must be short.
template <typename Entry>
class KeyTable {
  static_assert(std::is_trivially_copyable_v<Entry>);

 public:
  static constexpr std::size_t kPlaces = 8;

  // Room for `keys`, at least eight.  Ends the process if the address space is exhausted.
  explicit KeyTable(std::size_t keys)
      : sets_(std::max<std::size_t>(1, (keys * 3 / 2 + kPlaces - 1) / kPlaces)),
        entries_(static_cast<Entry*>(std::calloc(sets_ * kPlaces, sizeof(Entry)))) {
    if (entries_ == nullptr) throw std::bad_alloc();
  }

  // Runs `use(entry, fresh)` on the key's entry; a fresh one is all-zero but for its id.
  // REQUIRES: id != 0.
  template <typename Use>
  auto With(std::uint64_t id, Instant now, Use&& use) {
    const std::size_t set = SetOf(id);
    const std::lock_guard lock(LockOf(set));
    bool fresh = false;
    Entry& entry = FindOrMake(set, id, &fresh);
    entry.touched = now.time_since_epoch().count();
    return use(entry, fresh);
  }

  // Runs `use(entry)` if the key is known, and says whether it is.
  template <typename Use>
  bool IfKnown(std::uint64_t id, Use&& use) const {
    const std::size_t set = SetOf(id);
    const std::lock_guard lock(LockOf(set));
    Entry* const places = &entries_.get()[set * kPlaces];
    for (std::size_t i = 0; i < kPlaces; ++i) {
      if (places[i].id != id) continue;
      use(places[i]);
      return true;
    }
    return false;
  }

  std::uint64_t evictions() const { return evictions_.load(std::memory_order_relaxed); }
  std::size_t bytes() const { return sets_ * kPlaces * sizeof(Entry); }

 private:
  static constexpr std::size_t kStripes = 256;
  struct alignas(64) Stripe {
    std::mutex mutex;
  };
  struct Free {
    void operator()(Entry* entries) const { std::free(entries); }
  };

  // The high bits: the low ones pick lines in other tables.
  std::size_t SetOf(std::uint64_t id) const {
    return static_cast<std::size_t>((id * 0x9e3779b97f4a7c15ULL) >> 20U) % sets_;
  }
  std::mutex& LockOf(std::size_t set) const { return stripes_[set % kStripes].mutex; }

  Entry& FindOrMake(std::size_t set, std::uint64_t id, bool* fresh) {
    Entry* const places = &entries_.get()[set * kPlaces];
    Entry* oldest = &places[0];
    for (std::size_t i = 0; i < kPlaces; ++i) {
      Entry& place = places[i];
      if (place.id == id) return place;
      if (oldest->id != 0 && (place.id == 0 || place.touched < oldest->touched)) oldest = &place;
    }
    if (oldest->id != 0) evictions_.fetch_add(1, std::memory_order_relaxed);
    *oldest = Entry{};
    oldest->id = id;
    *fresh = true;
    return *oldest;
  }

  const std::size_t sets_;
  const std::unique_ptr<Entry, Free> entries_;
  mutable Stripe stripes_[kStripes];
  std::atomic<std::uint64_t> evictions_{0};
};

}  // namespace weir
