#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "weir/base/clock.h"
#include "weir/core/decision.h"
#include "weir/core/quota.h"
#include "weir/core/rule.h"

namespace weir {

// How one rule fared in one request, as far as an answer may tell.  Views: what they point to must
// outlive the writing of the answer.
struct Applied {
  const Rule* rule = nullptr;
  const Quota* quota = nullptr;  // The rule's, or the one the request brought along.
  std::uint64_t remaining = 0;   // Units still granted at once.
  Duration next{};               // Until one more unit is free; zero when nothing is missing.
  Duration reset{};              // Until the limit is untouched again (windows: until they end).
  Duration retry{};              // Denied: until this request's cost fits; kNeverFits.
  bool denied = false;
  NotEnforced not_enforced = NotEnforced::kNo;  // Anything else keeps it out of every answer.
  std::string_view quota_unit;                  // `qu`; empty: requests.
  std::string_view partition_key;               // `pk`, raw bytes; empty: none.
};

// All that an answer says about one request.
struct AnswerFacts {
  Verdict verdict = Verdict::kAllow;
  Duration retry_after{};              // The decision's; used where no rule in `applied` denied.
  std::span<const Applied> applied{};  // In configuration order.
  WallTime now{};                      // For kGithub.
  std::uint64_t cost = 1;              // For HeaderOptions::show_cost.
};

// Whether an answer may mention it: enforced, limited, with numbers.
bool IsShown(const Applied& applied);

// The longest name a policy goes by in an answer.
inline constexpr std::size_t kLongestIdentifier = 64;
using IdentifierText = std::array<char, kLongestIdentifier>;

// What a rule is called in header fields: its label if that is 1 to 64 printable ASCII characters,
// else its id with `_` for every byte that is not, cut to end in a hash of the id if it is longer.
// `unique` asks for that hash in any case.  The result points into the rule or into `memory`.
std::string_view IdentifierOf(const Rule& rule, IdentifierText& memory, bool unique = false);

// The effective window of `applied`, in seconds from now, at least 1: the time within which no more
// than `remaining` may be used (draft -11 `t`, -12 `w`).  Fixed window: until it ends.  The others:
// as long as the remaining units take at the sustained rate, or, denied or empty, until one more is
// free.  Nothing for a quota without window.
std::optional<std::int64_t> EffectiveWindow(const Applied& applied);

// `remaining`, lowered for fixed windows so that the advertised rate stays below `ratio_cap` times
// the quota's; not below 1 if there is one.  0 switches the cap off.
std::uint64_t Advertised(const Applied& applied, std::uint32_t ratio_cap);

// A quota's window in whole seconds, rounded up; 0 if it has none.
std::int64_t WindowSeconds(const Quota& quota);

// What Retry-After says, in seconds: the longest wait among the rules that denied, at least 1.  0,
// which means no such field, if the request passed or if waiting cannot help.
std::int64_t RetryAfterSeconds(const AnswerFacts& facts);

}  // namespace weir
