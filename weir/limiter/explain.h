#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/core/policy.h"

namespace weir {

// Why a candidate at one level of the tree was not the one.
enum class PassedOver : std::uint8_t {
  kOtherValue,    // Same key, another value.
  kNoPatternFit,  // Same key, its pattern does not match.
  kLessSpecific,  // Would have matched, but something more specific did.
  kLaterPattern,  // Its pattern matches too, but one above it in the file was taken.
};

// One entry of the descriptor and what the tree had for it.
struct ExplainedLevel {
  std::string key;
  std::string value;
  Policy::NodeIndex taken = Policy::kNone;  // kNone: the walk ended here.
  MatchKind kind = MatchKind::kExact;
  struct Other {
    Policy::NodeIndex node = Policy::kNone;
    PassedOver why = PassedOver::kOtherValue;
  };
  std::vector<Other> others{};  // Same key, in file order; at most kMostOthers.
  std::size_t more_others = 0;  // Left out of `others`.
  std::vector<std::string>
      known_keys{};  // If nothing was taken: the keys that the level does have.
};

// How a descriptor finds its rule, or fails to: what Match() does, told step by step.
struct Explanation {
  enum class End : std::uint8_t {
    kRule,       // `rule` applies.
    kUnlimited,  // `rule` applies, and never limits.
    kNoDomain,
    kNoEntry,     // The last level found nothing for its entry.
    kTooDeep,     // The last level has nothing below it; the descriptor goes on.
    kTooShallow,  // The walk ends on a node without a limit of its own.
    kEmpty,       // The descriptor has no entries.
  };
  static constexpr std::size_t kMostOthers = 20;

  End end = End::kNoDomain;
  const Rule* rule = nullptr;
  // Rules met on the way that do not apply, because a rule applies only at its own depth.
  std::vector<const Rule*> shallower;
  std::vector<ExplainedLevel> levels;
};

// Pure.  The result's pointers live as long as `policy`.
Explanation Explain(const Policy& policy, std::string_view domain, const Descriptor& descriptor);

}  // namespace weir
