#include "weir/failure/mirror.h"

#include <algorithm>

#include "weir/base/wide.h"
#include "weir/core/algorithm/hand_back.h"
#include "weir/core/algorithm/scaled_gcra.h"
#include "weir/core/algorithm/window.h"

namespace weir {
namespace {

constexpr std::uint64_t kMost = WindowState::kMostCount;

std::int64_t NanosOf(WallTime t) {
  return t.time_since_epoch().count();
}

bool IsBucket(const Quota& quota) {
  return quota.algorithm == Algorithm::kTokenBucket;
}

std::uint64_t Add(std::uint64_t count, std::uint64_t units) {
  return count + std::min(units, kMost - std::min(count, kMost));
}

std::uint64_t Before(std::uint64_t state, std::int64_t ticks) {
  return std::max(state, static_cast<std::uint64_t>(ticks));
}

}  // namespace

void Mirror::Set(const Hit& hit, const Outcome& outcome, const Moment& now, Duration reorder) {
  table_.With(hit.id, now.steady, [&](Entry& entry, bool) {
    const std::int64_t at = NanosOf(outcome.at == WallTime{} ? now.store : outcome.at);
    if (at < entry.at && entry.at - at <= reorder.count()) return;
    entry.at = at;
    if (IsBucket(*hit.quota)) {
      SetBucket(entry, outcome, now);
    } else {
      SetWindow(entry, *hit.quota, outcome, now);
    }
  });
}

void Mirror::SetBucket(Entry& entry, const Outcome& outcome, const Moment& now) {
  // `used` was true when the store counted, not when we hear of it.
  constexpr Duration kMostLag = std::chrono::seconds(10);
  const Duration lag =
      std::clamp<Duration>(now.store - WallTime(Duration(entry.at)), Duration{}, kMostLag);
  const std::int64_t then =
      std::max<std::int64_t>(1, now.ticks - lag.count() * Quota::kTicksPerNano);
  const std::uint64_t owed = Before(entry.own, now.ticks) - Before(entry.seen, now.ticks);
  entry.seen = static_cast<std::uint64_t>(then) + outcome.used;
  entry.own = owed == 0 ? entry.seen : Before(entry.seen, now.ticks) + owed;
}

void Mirror::SetWindow(Entry& entry, const Quota& quota, const Outcome& outcome,
                       const Moment& now) {
  const WallTime at{Duration(entry.at)};
  const WindowSpan span = WindowAt(quota, at);
  // Heard late, of a window that is over: it says nothing of this one.
  if (WindowAt(quota, now.store).start > span.start && entry.window > NanosOf(span.start)) return;
  if (entry.window > NanosOf(span.start)) entry.window = NanosOf(span.start);
  Roll(entry, quota, at);
  entry.seen = outcome.used - std::min(outcome.used, outcome.before);
  entry.doubt = 0;
  entry.own_before = 0;
  const auto left = static_cast<std::uint64_t>((span.end - at).count());
  const auto length = static_cast<std::uint64_t>(span.length().count());
  const Wide before = static_cast<Wide>(outcome.before) * length / left;
  entry.before = static_cast<std::uint64_t>(std::min<Wide>(before, kMost));
}

void Mirror::Roll(Entry& entry, const Quota& quota, WallTime now) {
  const WindowSpan span = WindowAt(quota, now);
  const std::int64_t start = NanosOf(span.start);
  if (entry.window >= start) return;
  if (entry.own != 0) dropped_.fetch_add(entry.own, std::memory_order_relaxed);
  const bool next = quota.algorithm == Algorithm::kSlidingWindow &&
                    WindowAt(quota, WallTime(Duration(entry.window))).end == span.start;
  entry.before = next ? entry.seen : 0;
  entry.own_before = next ? Add(entry.own, entry.doubt) : 0;
  entry.window = start;
  entry.seen = entry.own = entry.doubt = 0;
}

Outcome Mirror::Charge(const Hit& hit, const Portion& portion, const Moment& now, LocalCharge how,
                       bool ambiguous) {
  return table_.With(hit.id, now.steady, [&](Entry& entry, bool) {
    return IsBucket(*hit.quota) ? ChargeBucket(entry, hit, portion, now, how, ambiguous)
                                : ChargeWindow(entry, hit, portion, now, how, ambiguous);
  });
}

void Mirror::Undo(const Hit& hit, const Portion& portion, const Moment& now, bool ambiguous) {
  if (ambiguous && IsBucket(*hit.quota)) {
    table_.With(hit.id, now.steady, [&](Entry& entry, bool) {
      const auto price =
          static_cast<std::uint64_t>(gcra::PriceOf(*hit.quota, hit.cost, portion.share));
      entry.seen -= std::min(entry.seen, price);
      entry.own -= std::min(entry.own, price);
    });
  } else if (ambiguous) {
    table_.With(hit.id, now.steady,
                [&](Entry& entry, bool) { entry.doubt -= std::min(entry.doubt, hit.cost); });
  } else {
    Refund(hit, portion, now);
  }
}

bool Mirror::Refund(const Hit& hit, const Portion& portion, const Moment& now) {
  const Quota& quota = *hit.quota;
  return table_.With(hit.id, now.steady, [&](Entry& entry, bool) {
    if (IsBucket(quota)) {
      const std::int64_t ticks = gcra::PriceOf(quota, hit.cost, portion.share);
      const auto price = static_cast<std::uint64_t>(ticks);
      const std::uint64_t owed = Before(entry.own, now.ticks) - Before(entry.seen, now.ticks);
      entry.own -= std::min(price, owed);
      return price <= owed;
    }
    Roll(entry, quota, now.store);
    const bool same =
        hit.charged == WallTime{} || NanosOf(WindowAt(quota, hit.charged).start) == entry.window;
    if (!same) return false;
    const std::uint64_t netted = std::min(entry.own, hit.cost);
    entry.own -= netted;
    return netted == hit.cost;
  });
}

std::uint64_t Mirror::TakeOwed(std::uint64_t id, const Quota& quota, const Share& share,
                               const Moment& now) {
  return table_.With(id, now.steady, [&](Entry& entry, bool) {
    if (IsBucket(quota)) {
      const std::uint64_t owed = hand_back::TicksOwed(share, entry.own, entry.seen, now.ticks);
      entry.seen = entry.own;
      return owed;
    }
    Roll(entry, quota, now.store);
    const std::uint64_t owed = entry.own;
    entry.doubt = Add(entry.doubt, owed);
    entry.own = 0;
    return owed;
  });
}

void Mirror::OweAgain(std::uint64_t id, const Quota& quota, const Share& share,
                      std::uint64_t amount, const Moment& now) {
  table_.With(id, now.steady, [&](Entry& entry, bool) {
    if (IsBucket(quota)) {
      if (share.part == 0) return;
      const Wide ticks = static_cast<Wide>(amount) * share.whole / share.part;
      const std::uint64_t left =
          entry.seen - std::min(entry.seen, static_cast<std::uint64_t>(now.ticks));
      entry.seen -= static_cast<std::uint64_t>(std::min<Wide>(ticks, left));
      return;
    }
    Roll(entry, quota, now.store);
    const std::uint64_t back = std::min(amount, entry.doubt);
    entry.doubt -= back;
    entry.own = Add(entry.own, back);
  });
}

}  // namespace weir
