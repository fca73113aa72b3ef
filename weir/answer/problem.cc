#include "weir/answer/problem.h"

#include <algorithm>

#include "weir/answer/selection.h"
#include "weir/base/utf8.h"

namespace weir {
namespace {

// Room that the members after the names may need at most, kept free while names are added.
constexpr std::size_t kTail = 64;

void PutEscaped(char c, TextWriter& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      return out.Put("\\\"");
    case '\\':
      return out.Put("\\\\");
    case '\n':
      return out.Put("\\n");
    case '\r':
      return out.Put("\\r");
    case '\t':
      return out.Put("\\t");
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte != 0x7f) return out.Put(c);
  out.Put("\\u00");
  out.Put(kHex[byte >> 4U]);
  out.Put(kHex[byte & 15U]);
}

void PutDetail(const AnswerFacts& facts, std::int64_t retry, TextWriter& out) {
  if (retry > 0) {
    out.Put(",\"detail\":\"Retry in ");
    out.PutNumber(retry);
    out.Put(retry == 1 ? " second.\"" : " seconds.\"");
  } else if (facts.verdict == Verdict::kDeny) {
    out.Put(",\"detail\":\"This request is larger than the limit ever allows.\"");
  }
}

void PutViolated(const Selection& selection, TextWriter& out) {
  const std::size_t start = out.size();
  bool any = false;
  for (const Selection::Policy& policy : selection.policies()) {
    if (!policy.applied->denied) continue;
    const std::size_t before = out.size();
    out.Put(any ? "," : ",\"violated-policies\":[");
    WriteJsonString(policy.name, out);
    if (out.full()) {
      out.Rewind(before);
      break;
    }
    any = true;
  }
  if (any) out.Put(']');
  if (out.full()) out.Rewind(start);
}

}  // namespace

void WriteJsonString(std::string_view text, TextWriter& out) {
  out.Put('"');
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    if (length == 0) {
      out.Put("\xef\xbf\xbd");
    } else if (length == 1) {
      PutEscaped(text.front(), out);
    } else {
      out.Put(text.substr(0, length));
    }
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  out.Put('"');
}

ProblemKind ProblemFor(Verdict verdict) {
  return verdict == Verdict::kUnavailable ? ProblemKind::kTemporaryReducedCapacity
                                          : ProblemKind::kQuotaExceeded;
}

int StatusOf(ProblemKind kind) {
  return kind == ProblemKind::kTemporaryReducedCapacity ? 503 : 429;
}

std::string_view ProblemBody::Write(const AnswerFacts& facts, const Rule* policy) {
  const ProblemKind kind = ProblemFor(facts.verdict);
  const std::int64_t retry = RetryAfterSeconds(facts);
  const Selection selection(facts);
  // The names get all but the tail's room, in a writer of their own.
  TextWriter head(std::span<char>(memory_).first(kBytes - kTail));
  head.Put("{\"type\":\"https://iana.org/assignments/http-problem-types#");
  head.Put(kind == ProblemKind::kQuotaExceeded
               ? "quota-exceeded\",\"title\":\"Quota Exceeded\""
               : "temporary-reduced-capacity\",\"title\":\"Temporary Reduced Capacity\"");
  head.Put(",\"status\":");
  head.PutNumber(std::int64_t{StatusOf(kind)});
  PutDetail(facts, retry, head);
  const std::size_t before = head.size();
  if (policy != nullptr) {
    head.Put(",\"policy\":");
    WriteJsonString(policy->label(), head);
    if (head.full()) head.Rewind(before);
  }
  PutViolated(selection, head);

  TextWriter tail(std::span<char>(memory_).subspan(head.size()));
  if (retry > 0) {
    tail.Put(",\"retry_after_seconds\":");
    tail.PutNumber(retry);
  }
  tail.Put('}');
  return {memory_.data(), head.size() + tail.size()};
}

}  // namespace weir
