#include "weir/answer/applied.h"

#include <algorithm>

#include "weir/answer/structured_field.h"
#include "weir/answer/text_writer.h"
#include "weir/base/hash.h"
#include "weir/base/wide.h"

namespace weir {
namespace {

std::int64_t AtLeastOneSecond(Duration d) {
  return std::max<std::int64_t>(1, CeilSeconds(d));
}

// Seconds that `units` take at the quota's sustained rate, rounded up.
std::int64_t SecondsFor(std::uint64_t units, const Quota& quota) {
  const auto window = static_cast<std::uint64_t>(quota.window.count());
  std::uint64_t product = 0;
  std::uint64_t rate = 0;
  // Nearly always small enough for 64 bits, where a division costs a fifth.
  if (!__builtin_mul_overflow(units, window, &product) &&
      !__builtin_mul_overflow(quota.limit, std::uint64_t{1'000'000'000}, &rate) && product > 0) {
    return static_cast<std::int64_t>(
        std::min<std::uint64_t>((product - 1) / rate + 1, kLargestFieldInteger));
  }
  const Wide nanos = static_cast<Wide>(units) * window;
  const Wide per_second = static_cast<Wide>(quota.limit) * 1'000'000'000U;
  const Wide seconds = (nanos + per_second - 1) / per_second;
  return static_cast<std::int64_t>(std::clamp<Wide>(seconds, 1, kLargestFieldInteger));
}

}  // namespace

bool IsShown(const Applied& applied) {
  return applied.rule != nullptr && applied.quota != nullptr && !applied.rule->unlimited &&
         applied.rule->enforcing() && applied.not_enforced == NotEnforced::kNo;
}

std::string_view IdentifierOf(const Rule& rule, IdentifierText& memory, bool unique) {
  const std::string& label = rule.label();
  const bool fits = !label.empty() && label.size() <= kLongestIdentifier;
  if (fits && !unique && IsFieldString(label)) return label;

  const std::string& id = rule.id.empty() ? label : rule.id;
  const bool hashed = unique || id.size() > kLongestIdentifier || id.empty();
  constexpr std::size_t kHashed = kLongestIdentifier - 17;
  std::size_t size = hashed ? std::min(id.size(), kHashed) : id.size();
  std::transform(id.begin(), id.begin() + static_cast<std::ptrdiff_t>(size), memory.begin(),
                 [](char c) { return c >= 0x20 && c <= 0x7e ? c : '_'; });
  if (hashed) {
    constexpr std::string_view kHex = "0123456789abcdef";
    const std::uint64_t hash = Hash64(id, 0);
    memory[size++] = '~';
    for (unsigned shift = 64; shift > 0; shift -= 4)
      memory[size++] = kHex[hash >> (shift - 4) & 15];
  }
  return {memory.data(), size};
}

std::int64_t WindowSeconds(const Quota& quota) {
  return CeilSeconds(quota.window);
}

std::optional<std::int64_t> EffectiveWindow(const Applied& applied) {
  const Quota& quota = *applied.quota;
  if (quota.window <= Duration::zero()) return std::nullopt;
  if (quota.algorithm == Algorithm::kFixedWindow) {
    if (applied.reset > Duration::zero()) return AtLeastOneSecond(applied.reset);
    if (applied.denied && applied.retry > Duration::zero() && applied.retry != kNeverFits) {
      return AtLeastOneSecond(applied.retry);
    }
    // A window nobody has touched may begin with the next request: it is all ahead.
    return AtLeastOneSecond(quota.window);
  }
  const bool waiting = applied.denied || applied.remaining == 0;
  if (waiting && applied.next > Duration::zero()) return AtLeastOneSecond(applied.next);
  if (applied.remaining > 0 && quota.limit > 0) return SecondsFor(applied.remaining, quota);
  return AtLeastOneSecond(quota.window);
}

std::uint64_t Advertised(const Applied& applied, std::uint32_t ratio_cap) {
  const Quota& quota = *applied.quota;
  if (ratio_cap == 0 || quota.algorithm != Algorithm::kFixedWindow || applied.remaining == 0) {
    return applied.remaining;
  }
  const std::optional<std::int64_t> left = EffectiveWindow(applied);
  if (!left) return applied.remaining;
  const Wide cap = static_cast<Wide>(ratio_cap) * quota.limit * static_cast<Wide>(*left) /
                   static_cast<Wide>(WindowSeconds(quota));
  return static_cast<std::uint64_t>(std::clamp<Wide>(cap, 1, applied.remaining));
}

std::int64_t RetryAfterSeconds(const AnswerFacts& facts) {
  if (facts.verdict == Verdict::kAllow) return 0;
  std::int64_t longest = 0;
  for (const Applied& applied : facts.applied) {
    if (!IsShown(applied) || !applied.denied) continue;
    if (applied.retry == kNeverFits) return 0;
    longest =
        std::max({longest, AtLeastOneSecond(applied.retry), EffectiveWindow(applied).value_or(0)});
  }
  if (longest > 0) return longest;
  if (facts.retry_after == kNeverFits) return 0;
  // A service that cannot tell when it is back says nothing rather than "in a second".
  if (facts.verdict == Verdict::kUnavailable && facts.retry_after <= Duration::zero()) return 0;
  return AtLeastOneSecond(facts.retry_after);
}

}  // namespace weir
