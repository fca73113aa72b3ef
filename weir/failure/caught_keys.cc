#include "weir/failure/caught_keys.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "weir/failure/mode.h"

namespace weir {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kWhole = 1ULL << 32U;

std::int64_t NanosOf(Instant t) {
  return t.time_since_epoch().count();
}

}  // namespace

void CaughtKeys::Advance(Entry& entry, std::int64_t second) {
  const std::int64_t passed = std::min<std::int64_t>(second - entry.second, kSeconds);
  for (std::int64_t i = 1; i <= passed; ++i) {
    entry.admitted[static_cast<std::uint64_t>(entry.second + i) % kSeconds] = 0;
  }
  if (passed >= static_cast<std::int64_t>(kSeconds)) {
    std::fill(std::begin(entry.admitted), std::end(entry.admitted), 0);
  }
  if (second > entry.second) entry.second = second;
}

void CaughtKeys::Note(const Hit& hit, const Outcome& outcome, Instant now) {
  if (hit.refund || hit.cost == 0) return;
  table_.With(hit.id, now, [&](Entry& entry, bool) {
    const std::int64_t ns = NanosOf(now);
    if (!outcome.allowed) {
      entry.denied_at = ns;
      const bool ends = outcome.retry < std::chrono::hours(24 * 366);
      entry.denied_until = ends ? ns + outcome.retry.count() : ns;
      return;
    }
    Advance(entry, ns / kSecond);
    std::uint32_t& count = entry.admitted[static_cast<std::uint64_t>(ns / kSecond) % kSeconds];
    const std::uint64_t room = std::numeric_limits<std::uint32_t>::max() - count;
    count += static_cast<std::uint32_t>(std::min(hit.cost, room));
  });
}

// Units admitted in the ten seconds up to `outage`; of the second that they cut, its part.
double CaughtKeys::Granted(const Entry& entry, Instant outage) const {
  const std::int64_t last = NanosOf(outage) / kSecond;
  const double into = static_cast<double>(NanosOf(outage) % kSecond) / static_cast<double>(kSecond);
  double granted = 0;
  for (std::int64_t back = 0; back < static_cast<std::int64_t>(kSeconds); ++back) {
    const std::int64_t second = last - back;
    if (second > entry.second || second <= entry.second - static_cast<std::int64_t>(kSeconds)) {
      continue;
    }
    const std::uint32_t count = entry.admitted[static_cast<std::uint64_t>(second) % kSeconds];
    granted += back == static_cast<std::int64_t>(kSeconds) - 1 ? count * (1 - into) : count;
  }
  return granted;
}

CaughtKeys::Hold CaughtKeys::Judge(const Entry& entry, const Quota& quota, Instant outage) const {
  Hold hold;
  const std::int64_t since = NanosOf(outage - LookBack(quota.window));
  hold.caught = entry.denied_at != 0 && entry.denied_at >= since;
  if (!hold.caught) return hold;
  if (quota.window > kLongWindow) hold.denied_until = Instant(Duration(entry.denied_until));
  const Duration span =
      std::clamp<Duration>(outage - started_, std::chrono::milliseconds(1), kGrantedOver);
  const double limit = static_cast<double>(quota.limit) * static_cast<double>(span.count()) /
                       static_cast<double>(quota.window.count());
  const double part = limit > 0 ? std::min(1.0, Granted(entry, outage) / limit) : 0;
  // Windows grant whole units: the nearest number of them, or each instance would lose up to one.
  const std::uint64_t whole =
      quota.algorithm == Algorithm::kTokenBucket ? kWhole : std::max<std::uint64_t>(1, quota.limit);
  hold.share = {.part = static_cast<std::uint64_t>(std::llround(part * static_cast<double>(whole))),
                .whole = whole};
  return hold;
}

CaughtKeys::Hold CaughtKeys::Of(const Hit& hit, Instant outage, Instant now) {
  return table_.With(hit.id, now, [&](Entry& entry, bool) {
    if (entry.outage != NanosOf(outage)) {
      const Hold hold = Judge(entry, *hit.quota, outage);
      entry.outage = NanosOf(outage);
      entry.held = hold.caught;
      entry.held_part = hold.share.part;
      entry.held_whole = hold.share.whole;
      entry.held_until = NanosOf(hold.denied_until);
    }
    Hold hold{.caught = entry.held};
    if (hold.caught) {
      hold.share = {.part = entry.held_part, .whole = entry.held_whole};
      hold.denied_until = Instant(Duration(entry.held_until));
    }
    return hold;
  });
}

CaughtKeys::Hold CaughtKeys::Now(const Hit& hit, Instant now) const {
  Hold hold;
  table_.IfKnown(hit.id, [&](const Entry& entry) { hold = Judge(entry, *hit.quota, now); });
  return hold;
}

}  // namespace weir
