#include "weir/failure/rehearsal.h"

#include <algorithm>

#include "weir/base/hash.h"

namespace weir {

Rehearsal::Rehearsal(std::size_t keys, double part)
    : levels_(keys),
      below_(part >= 1 ? ~std::uint64_t{0}
                       : static_cast<std::uint64_t>(std::max(0.0, part) * 0x1p64)) {}

bool Rehearsal::Samples(const Hit& hit) const {
  if (below_ == 0 || hit.refund || hit.cost == 0) return false;
  // Unseeded, where there is a text: every instance watches the same keys.
  const std::uint64_t hash = hit.key.empty() ? MixHash(0, hit.id) : Hash64(hit.key, 0);
  return hash <= below_;
}

Rehearsed Rehearsal::Answer(const Hit& hit, const Outcome& outcome, FailureMode mode,
                            const Portion& portion, const CaughtKeys::Hold& caught,
                            const Moment& now) {
  bool allowed = true;
  switch (mode) {
    case FailureMode::kOpen:
      break;
    case FailureMode::kClosed:
    case FailureMode::kError:
      allowed = false;
      break;
    case FailureMode::kLocalShare:
      allowed = levels_.Charge(hit, portion, now, LocalCharge::kVerdict, false).allowed;
      break;
    case FailureMode::kStatic: {
      if (!caught.caught) break;
      const Portion held{.share = caught.share, .strict = portion.strict};
      allowed = now.steady >= caught.denied_until &&
                levels_.Charge(hit, held, now, LocalCharge::kVerdict, false).allowed;
      break;
    }
  }
  if (allowed == outcome.allowed) return Rehearsed::kAgreed;
  return allowed ? Rehearsed::kLooser : Rehearsed::kStricter;
}

}  // namespace weir
