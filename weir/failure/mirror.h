#pragma once

#include <atomic>
#include <cstdint>

#include "weir/core/check.h"
#include "weir/core/share.h"
#include "weir/failure/key_table.h"

namespace weir {

// One moment on the three clocks that local counts need.
struct Moment {
  Instant steady{};
  std::int64_t ticks = 0;  // Of token buckets, since an origin of the instance; above 0.
  WallTime store{};        // The store's clock, as far as it is known: windows are cut by it.
};

// This instance's part of a rule's limit.
struct Portion {
  Share share{};
  bool strict = false;  // Allow a share below one unit.
};

// How a local charge is meant.
enum class LocalCharge : std::uint8_t {
  kLook,     // The verdict, and the level as it is; nothing is spent.
  kVerdict,  // Spent if the share has room.
  kCount,    // Spent in any case: `open`, and `static` for who is not caught.
};

// The local image of the shared counts: what this instance would enforce if the store were gone
// now.
//
// Each answer of the store sets a key's level to the share of what the store has left, so that
// nothing is charged twice and an outage starts warm; a key without an answer in this window starts
// at share x limit.  In an outage the instance's own charges move the level, and are remembered
// apart from what the store has counted: that difference is owed to the store afterwards.
//
// - An answer older, on the store's clock, than the one that last set a level is ignored: loops
// hear
//   out of order.  One older by more than `reorder` is not late, it tells of a clock that was set
//   back, and counts.
// - An ambiguous charge, one that the store may have counted too, moves the level and is not owed.
// - Windows keep counts and let the share set the cap, so a change of share changes the cap and
// never
//   a count.  Token buckets keep the store's own state, and let the share scale the price.
// - What is owed for a window that has closed is dropped, and counted.
//
// Bounded by `keys`; the key least recently used is forgotten, with what it owes, and counted.
// Thread-safe; shared by the loops of an instance.
class Mirror {
 public:
  explicit Mirror(std::size_t keys) : table_(keys) {}

  // The store's answer to a hit.  REQUIRES: it has no cause.
  void Set(const Hit& hit, const Outcome& outcome, const Moment& now, Duration reorder);

  // What the level says of the hit, in the policy's own terms: RemainingOf() is what is left here.
  // `basis` and `cause` are the caller's to fill.
  Outcome Charge(const Hit& hit, const Portion& portion, const Moment& now, LocalCharge how,
                 bool ambiguous);

  // Takes a charge of this moment back.
  void Undo(const Hit& hit, const Portion& portion, const Moment& now, bool ambiguous);

  // A refund nets with what is owed for its key and window.  Returns whether all of it did; the
  // rest is dropped: it belongs to a hit that was ambiguous, or counted by the store.
  bool Refund(const Hit& hit, const Portion& portion, const Moment& now);

  // What the key owes the store, in Hit::cost's terms for a hand-back.  It is owed no more, but
  // stays in the level until the store's next answer.
  std::uint64_t TakeOwed(std::uint64_t id, const Quota& quota, const Share& share,
                         const Moment& now);
  // It did not reach the store after all: owed again.
  void OweAgain(std::uint64_t id, const Quota& quota, const Share& share, std::uint64_t amount,
                const Moment& now);

  // -- for metrics --
  std::uint64_t forgotten() const { return table_.evictions(); }
  // Units of closed windows that were owed.
  std::uint64_t dropped_units() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  // Token bucket: `seen` is the store's state, `own` the local one, never before it; ticks.
  // Windows: units of the window that starts at `window`; `seen` as the store counted, `own` owed,
  // `doubt` ambiguous; the window before: `before` and `own_before`.
  struct Entry {
    std::uint64_t id;
    std::int64_t touched;
    std::int64_t at;  // Of the answer that last set it; 0: none.
    std::int64_t window;
    std::uint64_t seen;
    std::uint64_t own;
    std::uint64_t doubt;
    std::uint64_t before;
    std::uint64_t own_before;
  };

  void SetBucket(Entry& entry, const Outcome& outcome, const Moment& now);
  void SetWindow(Entry& entry, const Quota& quota, const Outcome& outcome, const Moment& now);
  Outcome ChargeBucket(Entry& entry, const Hit& hit, const Portion& portion, const Moment& now,
                       LocalCharge how, bool ambiguous);
  Outcome ChargeWindow(Entry& entry, const Hit& hit, const Portion& portion, const Moment& now,
                       LocalCharge how, bool ambiguous);
  void Roll(Entry& entry, const Quota& quota, WallTime now);

  KeyTable<Entry> table_;
  std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace weir
