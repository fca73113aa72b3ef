#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "weir/answer/applied.h"
#include "weir/answer/text_writer.h"

namespace weir {

inline constexpr std::string_view kProblemMediaType = "application/problem+json";

// The registered problem types (draft-ietf-httpapi-ratelimit-headers, section on problem types)
// and the status each goes with.
enum class ProblemKind : std::uint8_t {
  kQuotaExceeded,             // 429
  kTemporaryReducedCapacity,  // 503
};

// kTemporaryReducedCapacity for Verdict::kUnavailable, else kQuotaExceeded.
ProblemKind ProblemFor(Verdict verdict);
int StatusOf(ProblemKind kind);

// A problem body (RFC 9457) with the memory it lives in.  Reuse one per loop.
class ProblemBody {
 public:
  // The body stays below 1 KiB: names that no longer fit are left out whole.
  static constexpr std::size_t kBytes = 1023;

  ProblemBody() = default;
  ProblemBody(const ProblemBody&) = delete;
  ProblemBody& operator=(const ProblemBody&) = delete;

  // Members, in order: type, title, status, detail, policy (the deciding rule's label; absent if
  // there is none), violated-policies (names as in RateLimit-Policy of the rules that denied;
  // absent if none did), retry_after_seconds (absent if waiting cannot help or nobody knows).
  // `policy` may be null.  The result is valid until the next call.
  std::string_view Write(const AnswerFacts& facts, const Rule* policy);

 private:
  std::array<char, kBytes> memory_;
};

// Writes `text` as a JSON string, quotes included.  Bytes that are not UTF-8 become U+FFFD.
void WriteJsonString(std::string_view text, TextWriter& out);

}  // namespace weir
