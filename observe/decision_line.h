#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "observe/siphash.h"
#include "weir/core/check.h"
#include "weir/core/decision.h"
#include "weir/core/descriptor.h"

namespace weir::observe {

// What a line does not show in plain text.
struct KeyPrivacy {
  // Values of descriptors, and keys, appear as "h:" and 16 hexadecimal digits of a keyed hash:
  // equal values can be told to be equal by whoever has the log, and named by whoever has the key.
  bool hashed = false;
  SipKey key{};
};

// One decision to be written as a line.
struct LoggedDecision {
  const Request* request = nullptr;
  const Check* check = nullptr;
  const Decision* decision = nullptr;
  const Hit* hit = nullptr;          // The one it rests on; null for none.
  const Outcome* outcome = nullptr;  // Of `hit`.
  bool would_deny = false;           // `hit` is of a rule that is not enforced, and over its limit.
  bool first = false;                // The first denial of its counter in this minute.
  double sample = 1;                 // The part of such decisions that is logged.
};

// Texts from requests are cut to this many bytes, and descriptors to so many entries.
inline constexpr std::size_t kLongestLoggedText = 256;
inline constexpr std::size_t kMostLoggedEntries = 16;
// Request ids to this many.
inline constexpr std::size_t kLongestLoggedId = 128;

// Appends the line, with its line break.
void AppendDecisionLine(const LoggedDecision& logged, const KeyPrivacy& privacy, const Now& now,
                        std::string& out);

// "50/s", "5/min", "10/10s": a quota as people write it.
void AppendLimit(const Quota& quota, std::string& out);

}  // namespace weir::observe
