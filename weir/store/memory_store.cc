#include "weir/store/memory_store.h"

#include <algorithm>

#include "weir/core/algorithm/carry.h"
#include "weir/core/algorithm/fixed_window.h"
#include "weir/core/algorithm/gcra.h"
#include "weir/core/algorithm/hand_back.h"
#include "weir/core/algorithm/sliding_window.h"

namespace weir {
namespace {

constexpr std::size_t kSweptLines = 4096;  // 50 to 100 us of work at a time.
constexpr Duration kSweepPass = std::chrono::seconds(20);
constexpr Duration kShortestSweepPause = std::chrono::milliseconds(10);

std::size_t KeysFor(const MemoryStoreOptions& options) {
  std::size_t keys = std::max<std::size_t>(options.max_keys, 1);
  if (options.max_bytes != 0) {
    keys = std::clamp<std::size_t>(options.max_bytes / MemoryStore::kBytesPerKey, 1, keys);
  }
  return keys;
}

std::size_t LinesFor(std::size_t keys) {
  constexpr std::size_t kLineBytes = SlotTable::kSlotsPerLine * sizeof(Slot);
  return std::max(keys * MemoryStore::kBytesPerKey / kLineBytes, SlotTable::kProbedLines);
}

// Which slot a counter takes: its kind and the identity under which it is found.
struct Lookup {
  std::uint64_t identity = 0;
  std::uint64_t previous = 0;  // Sliding window: of the window before; else 0.
};

Lookup LookupOf(std::uint64_t id, const Quota& quota, WallTime now) {
  switch (quota.algorithm) {
    case Algorithm::kTokenBucket:
      return {IdentityOf(id, SlotKind::kTokenBucket, 0), 0};
    case Algorithm::kFixedWindow:
      return {IdentityOf(id, SlotKind::kFixedWindow, WindowState::Log2Of(quota)), 0};
    case Algorithm::kSlidingWindow:
      break;
  }
  const std::uint32_t log2 = WindowState::Log2Of(quota);
  const bool odd = WindowAt(quota, now).start.time_since_epoch() / quota.window % 2 != 0;
  const std::uint64_t even_slot = IdentityOf(id, SlotKind::kSlidingEven, log2);
  const std::uint64_t odd_slot = IdentityOf(id, SlotKind::kSlidingOdd, log2);
  return odd ? Lookup{odd_slot, even_slot} : Lookup{even_slot, odd_slot};
}

void Fill(Outcome& outcome, const Step& step, const SlotTime& now) {
  outcome.allowed = step.allowed;
  outcome.basis = Basis::kStore;
  outcome.cause = Cause::kNone;
  outcome.added = true;
  outcome.node = 0;
  outcome.used = step.used;
  outcome.retry = step.retry;
  outcome.reset = step.reset;
  outcome.next = step.next;
  outcome.at = now.wall;
  outcome.before = step.before;
  outcome.fleet = 0;
  outcome.ambiguous = false;
  outcome.rehearsed = Rehearsed::kNot;
}

Step HandBack(const Hit& hit, std::uint64_t previous, std::uint64_t state, const SlotTime& now) {
  const Quota& quota = *hit.quota;
  if (quota.algorithm == Algorithm::kTokenBucket) {
    return hand_back::AddTicks(state, quota, now.ticks, hit.cost);
  }
  const Step step =
      hand_back::AddToWindow(state, quota, now.wall, hit.cost, hit.charged, hit.capped);
  if (quota.algorithm == Algorithm::kFixedWindow) return step;
  return sliding_window::Charge(previous, step.state, quota, now.wall, 0);
}

std::size_t EnforcingHits(const Check& check) {
  std::size_t n = 0;
  while (n < check.hits.size() && check.hits[n].not_enforced == NotEnforced::kNo) ++n;
  return n;
}

// A check whose soft rules all deny is denied; see Settle().
bool SoftDeny(const Check& check) {
  bool any = false;
  for (std::size_t i = 0; i < check.hits.size(); ++i) {
    if (check.hits[i].not_enforced != NotEnforced::kSoft) continue;
    if (check.outcomes[i].allowed) return false;
    any = true;
  }
  return any;
}

// Whether an earlier hit of the check gives back to the same counter, so that a look at it as it
// stands says too little.
bool RefundedBefore(const Check& check, std::size_t hit) {
  for (std::size_t i = 0; i < hit; ++i) {
    if (check.hits[i].refund && check.hits[i].id == check.hits[hit].id) return true;
  }
  return false;
}

}  // namespace

MemoryStore::MemoryStore(const MemoryStoreOptions& options)
    : table_(LinesFor(KeysFor(options)), KeysFor(options)),
      // A second of head start keeps every tick above zero, which means "empty".
      origin_(options.now.steady - std::chrono::seconds(1)) {
  const std::size_t parts = (table_.lines() + kSweptLines - 1) / kSweptLines;
  sweep_every_ = std::max(kShortestSweepPause, kSweepPass / static_cast<std::int64_t>(parts));
  next_sweep_ = (options.now.steady + sweep_every_).time_since_epoch().count();
}

SlotTime MemoryStore::TimeOf(const Now& now) const {
  const std::int64_t ticks = (now.steady - origin_).count() * Quota::kTicksPerNano;
  return {.ticks = std::max(ticks, kFirstTick), .wall = now.wall};
}

std::size_t MemoryStore::Commit(std::span<Check* const> checks, const Now& now) {
  // One miss at a time costs ten times what overlapping misses do: ask for every line first.
  for (const Check* check : checks) {
    for (const Hit& hit : check->hits) table_.Prefetch(hit.id);
  }
  const SlotTime time = TimeOf(now);
  for (Check* check : checks) {
    if (check->outcomes.size() != check->hits.size()) check->outcomes.resize(check->hits.size());
    if (check->hits.size() == 1 && ChargeKnownBucket(check->hits[0], check->outcomes[0], time)) {
      continue;
    }
    if (check->charging == Charging::kEach) {
      CommitEach(*check, time);
    } else {
      CommitAllOrNothing(*check, time);
    }
  }
  return 0;
}

// Most hits by far, and so spared what the others need: one bucket, seen before, charged alone.
// False if it is anything else, or a race was lost: nothing was done.
inline bool MemoryStore::ChargeKnownBucket(const Hit& hit, Outcome& outcome, const SlotTime& now) {
  if (hit.purpose != Purpose::kCharge || hit.refund) return false;
  if (hit.quota->algorithm != Algorithm::kTokenBucket) return false;
  if (hit.not_enforced == NotEnforced::kSoft) return false;
  const std::uint64_t identity = IdentityOf(hit.id, SlotKind::kTokenBucket, 0);
  const SlotTable::Place place = table_.Find(hit.id, identity);
  if (place.index == SlotTable::kNowhere) return false;
  const Step step = gcra::Charge(place.seen.state, *hit.quota, now.ticks, hit.cost);
  if (step.state != place.seen.state && !table_.Replace(place, {identity, step.state})) {
    return false;
  }
  Fill(outcome, step, now);
  return true;
}

void MemoryStore::CommitEach(Check& check, const SlotTime& now) {
  if (check.standstill != Standstill::kNo) return CommitStandingStill(check, now);
  for (std::size_t i = 0; i < check.hits.size(); ++i) {
    Fill(check.outcomes[i], Apply(check.hits[i], Mode::kAdd, now), now);
  }
}

// Looks at every hit first; `allowed` then tells which would go over.
void MemoryStore::CommitStandingStill(Check& check, const SlotTime& now) {
  bool still = check.standstill == Standstill::kNow;
  for (std::size_t i = 0; i < check.hits.size(); ++i) {
    const Hit& hit = check.hits[i];
    // A peek spends nothing when added either, and, unlike a look, says whether the level is over.
    const Step step =
        hit.refund ? Step{} : Apply(hit, hit.cost == 0 ? Mode::kAdd : Mode::kLook, now);
    check.outcomes[i].allowed = step.allowed;
    still = still || !step.allowed;
  }
  for (std::size_t i = 0; i < check.hits.size(); ++i) {
    Hit hit = check.hits[i];
    const bool over = !check.outcomes[i].allowed && check.standstill == Standstill::kWhenOver;
    const bool add = hit.refund || !still || over;
    if (!add) hit.cost = 0;
    Fill(check.outcomes[i], Apply(hit, Mode::kAdd, now), now);
    check.outcomes[i].added = add;
  }
}

void MemoryStore::CommitAllOrNothing(Check& check, const SlotTime& now) {
  const std::size_t enforcing = EnforcingHits(check);
  bool passed = true;
  if (enforcing == 1) {
    Fill(check.outcomes[0], Apply(check.hits[0], Mode::kCharge, now), now);
    passed = check.outcomes[0].allowed;
  } else if (enforcing > 1) {
    passed = TestAll(check, enforcing, now) && ChargeAll(check, enforcing, now);
  }
  if (enforcing == check.hits.size()) return;
  for (std::size_t i = enforcing; i < check.hits.size(); ++i) {
    const bool charged = passed || check.hits[i].refund;
    Fill(check.outcomes[i], Apply(check.hits[i], charged ? Mode::kCharge : Mode::kLook, now), now);
  }
  if (passed && SoftDeny(check)) {
    GiveBack(check, check.hits.size(), now);
    LookAgain(check, check.hits.size(), now);
  }
}

// Leaves levels as they are before the check where it denies, but for its refunds.
bool MemoryStore::TestAll(Check& check, std::size_t enforcing, const SlotTime& now) {
  bool passed = true;
  for (std::size_t i = 0; i < enforcing; ++i) {
    if (check.hits[i].refund || RefundedBefore(check, i)) continue;
    const Step step = Apply(check.hits[i], Mode::kLook, now);
    Fill(check.outcomes[i], step, now);
    passed = passed && step.allowed;
  }
  if (passed) return true;
  for (std::size_t i = 0; i < enforcing; ++i) {
    const Hit& hit = check.hits[i];
    if (hit.refund) {
      Fill(check.outcomes[i], Apply(hit, Mode::kCharge, now), now);
    } else if (RefundedBefore(check, i)) {
      Fill(check.outcomes[i], Apply(hit, Mode::kLook, now), now);
    }
  }
  LookAgain(check, enforcing, now);
  return false;
}

bool MemoryStore::ChargeAll(Check& check, std::size_t enforcing, const SlotTime& now) {
  for (std::size_t i = 0; i < enforcing; ++i) {
    const Step step = Apply(check.hits[i], Mode::kCharge, now);
    Fill(check.outcomes[i], step, now);
    if (step.allowed) continue;
    GiveBack(check, i, now);
    for (std::size_t j = i + 1; j < enforcing; ++j) {
      const bool refund = check.hits[j].refund;
      Fill(check.outcomes[j], Apply(check.hits[j], refund ? Mode::kCharge : Mode::kLook, now), now);
    }
    LookAgain(check, enforcing, now);
    return false;
  }
  return true;
}

// What the first `hits` of a check took.  A refund that was given stays given.
void MemoryStore::GiveBack(const Check& check, std::size_t hits, const SlotTime& now) {
  for (std::size_t i = 0; i < hits; ++i) {
    if (check.hits[i].refund || !check.outcomes[i].allowed) continue;
    Hit back = check.hits[i];
    back.refund = true;
    back.charged = now.wall;
    Apply(back, Mode::kCharge, now);
  }
}

// After a denial: what the rules that would have passed hold, nothing having been spent.
void MemoryStore::LookAgain(Check& check, std::size_t hits, const SlotTime& now) {
  for (std::size_t i = 0; i < hits; ++i) {
    if (!check.outcomes[i].allowed) continue;
    Hit look = check.hits[i];
    look.cost = 0;
    look.refund = false;
    Fill(check.outcomes[i], Apply(look, Mode::kLook, now), now);
  }
}

// Applies `next`, the algorithm's step from a state, until no other thread came in between.
template <typename Next>
Step MemoryStore::Update(const Hit& hit, std::uint64_t identity, Mode mode, const SlotTime& now,
                         const Next& next) {
  for (;;) {
    const SlotTable::Place place = table_.Find(hit.id, identity);
    const bool found = place.index != SlotTable::kNowhere;
    const std::uint64_t state = found                  ? place.seen.state
                                : hit.previous_id != 0 ? CarriedState(hit, now)
                                                       : 0;
    const Step step = next(state);
    // A counter that nothing was spent from needs no slot.
    if (mode == Mode::kLook || step.state == (found ? state : 0)) return step;
    const Slot after{identity, step.state};
    if (found) {
      if (table_.Replace(place, after)) return step;
    } else if (table_.Insert(hit.id, after, now)) {
      if (hit.previous_id != 0) ForgetCarried(hit, now);
      return step;
    }
  }
}

Step MemoryStore::Apply(const Hit& hit, Mode mode, const SlotTime& now) {
  if (hit.purpose == Purpose::kProbe) return {};
  const Quota& quota = *hit.quota;
  const bool owed = hit.purpose == Purpose::kHandBack;
  if (quota.algorithm == Algorithm::kTokenBucket) {
    const std::uint64_t identity = IdentityOf(hit.id, SlotKind::kTokenBucket, 0);
    return Update(hit, identity, mode, now, [&](std::uint64_t state) {
      if (owed) return HandBack(hit, 0, state, now);
      return hit.refund ? gcra::Refund(state, quota, now.ticks, hit.cost)
                        : gcra::Charge(state, quota, now.ticks, hit.cost);
    });
  }
  const Lookup lookup = LookupOf(hit.id, quota, now.wall);
  if (quota.algorithm == Algorithm::kFixedWindow) {
    return Update(hit, lookup.identity, mode, now, [&](std::uint64_t state) {
      if (owed) return HandBack(hit, 0, state, now);
      if (hit.refund) return fixed_window::Refund(state, quota, now.wall, hit.cost, hit.charged);
      return mode == Mode::kAdd ? fixed_window::Add(state, quota, now.wall, hit.cost)
                                : fixed_window::Charge(state, quota, now.wall, hit.cost);
    });
  }
  return Update(hit, lookup.identity, mode, now, [&](std::uint64_t state) {
    const SlotTable::Place before = table_.Find(hit.id, lookup.previous);
    const std::uint64_t previous = before.index != SlotTable::kNowhere ? before.seen.state : 0;
    if (owed) return HandBack(hit, previous, state, now);
    return hit.refund
               ? sliding_window::Refund(previous, state, quota, now.wall, hit.cost, hit.charged)
               : sliding_window::Charge(previous, state, quota, now.wall, hit.cost);
  });
}

std::uint64_t MemoryStore::CarriedState(const Hit& hit, const SlotTime& now) const {
  const Quota& old = hit.rule->carried->quota;
  const Lookup lookup = LookupOf(hit.previous_id, old, now.wall);
  const auto state_of = [&](std::uint64_t identity) {
    const SlotTable::Place place = table_.Find(hit.previous_id, identity);
    return place.index != SlotTable::kNowhere ? place.seen.state : 0;
  };
  const std::uint64_t state = state_of(lookup.identity);
  Step level;
  switch (old.algorithm) {
    case Algorithm::kTokenBucket:
      level = gcra::Charge(state, old, now.ticks, 0);
      break;
    case Algorithm::kFixedWindow:
      level = fixed_window::Charge(state, old, now.wall, 0);
      break;
    case Algorithm::kSlidingWindow:
      level = sliding_window::Charge(state_of(lookup.previous), state, old, now.wall, 0);
      break;
  }
  return StateAt(*hit.quota, FractionOf(old, level.used), now.ticks, now.wall);
}

// A level moves once: were it left behind, it would come back each time the new slot dies before
// it.
void MemoryStore::ForgetCarried(const Hit& hit, const SlotTime& now) {
  const Lookup lookup = LookupOf(hit.previous_id, hit.rule->carried->quota, now.wall);
  for (const std::uint64_t identity : {lookup.identity, lookup.previous}) {
    if (identity == 0) continue;
    for (;;) {
      const SlotTable::Place place = table_.Find(hit.previous_id, identity);
      if (place.index == SlotTable::kNowhere || table_.Remove(place)) break;
    }
  }
}

Instant MemoryStore::Poll(const Now& now) {
  const Instant due{Duration(next_sweep_.load(std::memory_order_relaxed))};
  if (now.steady < due || sweeping_.test_and_set(std::memory_order_acquire)) return due;
  // Up to the end and not around it, so that a pass meets every slot once.
  const std::size_t lines = std::min(kSweptLines, table_.lines() - sweep_cursor_);
  table_.Sweep(&sweep_cursor_, lines, TimeOf(now));
  const Instant next = now.steady + sweep_every_;
  next_sweep_.store(next.time_since_epoch().count(), std::memory_order_relaxed);
  sweeping_.clear(std::memory_order_release);
  return next;
}

}  // namespace weir
