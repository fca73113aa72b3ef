#pragma once

#include <cstdint>

#include "weir/core/check.h"
#include "weir/core/share.h"
#include "weir/failure/key_table.h"

namespace weir {

// What `static` holds: who was caught lately, and what this instance granted them.
//
// *Caught*: denied by the store (held answers included) in the LookBack() before the outage's first
// uncounted hit.  *Granted*: what this instance admitted over the 10 s before it, or since its
// start if that is shorter.  Both are fixed per key when it is first met in the outage, and stay
// until the outage is over.
//
// Bounded by `keys`; a forgotten key is not caught.  Thread-safe.
class CaughtKeys {
 public:
  static constexpr Duration kGrantedOver = std::chrono::seconds(10);
  // Longer windows keep a denial's own wait before they are shared.
  static constexpr Duration kLongWindow = std::chrono::seconds(60);

  CaughtKeys(std::size_t keys, Instant started) : table_(keys), started_(started) {}

  // The store answered, or a held denial did.
  void Note(const Hit& hit, const Outcome& outcome, Instant now);

  struct Hold {
    bool caught = false;
    Share share{};           // granted / the limit's rate.
    Instant denied_until{};  // Long windows: until here nothing passes.
  };
  // How the key is held in the outage that began at `outage`.
  Hold Of(const Hit& hit, Instant outage, Instant now);

  // As Of(), for an outage that would begin now; fixes nothing.
  Hold Now(const Hit& hit, Instant now) const;

 private:
  static constexpr std::size_t kSeconds = 11;

  struct Entry {
    std::uint64_t id;
    std::int64_t touched;
    std::int64_t denied_at;     // Last denial; 0: none.
    std::int64_t denied_until;  // What it said of one more unit.
    std::int64_t second;        // Of the newest count.
    std::int64_t outage;        // That `hold` was fixed for; 0: none.
    std::uint64_t held_part;
    std::uint64_t held_whole;
    std::int64_t held_until;
    bool held;
    std::uint32_t admitted[kSeconds];  // By second, modulo.
  };

  static void Advance(Entry& entry, std::int64_t second);
  double Granted(const Entry& entry, Instant outage) const;
  Hold Judge(const Entry& entry, const Quota& quota, Instant outage) const;

  KeyTable<Entry> table_;
  const Instant started_;
};

}  // namespace weir
