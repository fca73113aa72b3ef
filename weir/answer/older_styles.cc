#include <algorithm>

#include "weir/answer/structured_field.h"
#include "weir/answer/styles.h"

namespace weir {
namespace {

std::int64_t Clamped(std::uint64_t number) {
  return static_cast<std::int64_t>(
      std::min(number, static_cast<std::uint64_t>(kLargestFieldInteger)));
}

std::uint64_t LimitOf(const Applied& applied) {
  const Quota& quota = *applied.quota;
  return quota.algorithm == Algorithm::kTokenBucket ? quota.capacity() : quota.limit;
}

// Never 0: that would read as "right now" on a denial (apisix #9964).
std::int64_t ResetSeconds(const Applied& applied) {
  return std::max<std::int64_t>(1, CeilSeconds(applied.reset));
}

// The three numbers of the older styles.
struct Numbers {
  std::int64_t limit = 0;
  std::int64_t remaining = 0;
  std::int64_t reset = 0;
};

// "100, 100;w=60, 1000;w=3600", with the rules' names if `names`.
void PutPolicies(const Selection& selection, bool names, FieldListWriter& list) {
  for (const Selection::Policy& policy : selection.policies()) {
    list.Integer(LimitOf(*policy.applied));
    const std::int64_t window = WindowSeconds(*policy.applied->quota);
    if (window > 0) list.Integer("w", window);
    // Envoy shows the wire's `name`, which an unnamed rule lacks; unlike Envoy we escape it.
    const std::string& name = policy.applied->rule->name;
    if (names && !name.empty() && IsFieldString(name)) list.String("name", name);
    list.Close();
  }
}

// -06 and -07 forbid two policies with the same number (`10;w=1, 10;w=60`).
bool NumbersRepeat(const Selection& selection) {
  const auto policies = selection.policies();
  for (std::size_t i = 0; i < policies.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (LimitOf(*policies[i].applied) == LimitOf(*policies[j].applied)) return true;
    }
  }
  return false;
}

void AddPolicyLine(const Selection& selection, HeaderLines& out) {
  FieldListWriter list(out.text());
  if (NumbersRepeat(selection)) {
    list.Integer(LimitOf(*selection.lowest().applied));
    const std::int64_t window = WindowSeconds(*selection.lowest().applied->quota);
    if (window > 0) list.Integer("w", window);
  } else {
    PutPolicies(selection, false, list);
  }
  out.EndLine("ratelimit-policy");
}

void AddLimitWithPolicies(std::string_view name, const Numbers& numbers, bool names,
                          const Selection& selection, HeaderLines& out) {
  FieldListWriter list(out.text());
  list.Integer(numbers.limit);
  PutPolicies(selection, names, list);
  out.EndLine(name);
}

void AddTriple(const Numbers& numbers, HeaderLines& out) {
  out.AddNumber("ratelimit-limit", numbers.limit);
  out.AddNumber("ratelimit-remaining", numbers.remaining);
  out.AddNumber("ratelimit-reset", numbers.reset);
}

void AddEnvoy(const Numbers& numbers, const Selection& selection, HeaderLines& out) {
  AddLimitWithPolicies("x-ratelimit-limit", numbers, true, selection, out);
  out.AddNumber("x-ratelimit-remaining", numbers.remaining);
  out.AddNumber("x-ratelimit-reset", numbers.reset);
}

void AddGithub(const Numbers& numbers, const AnswerFacts& facts, const Selection& selection,
               HeaderLines& out) {
  const Duration reset = std::max<Duration>(selection.lowest().applied->reset, Duration(1));
  out.AddNumber("x-ratelimit-limit", numbers.limit);
  out.AddNumber("x-ratelimit-remaining", numbers.remaining);
  out.AddNumber("x-ratelimit-used", std::max<std::int64_t>(0, numbers.limit - numbers.remaining));
  out.AddNumber("x-ratelimit-reset", CeilSeconds(facts.now.time_since_epoch() + reset));
  out.text().Put(selection.lowest().name);
  out.EndLine("x-ratelimit-resource");
}

void AddDraft07(const Numbers& numbers, const Selection& selection, HeaderLines& out) {
  TextWriter& text = out.text();
  text.Put("limit=");
  text.PutNumber(numbers.limit);
  text.Put(", remaining=");
  text.PutNumber(numbers.remaining);
  text.Put(", reset=");
  text.PutNumber(numbers.reset);
  out.EndLine("ratelimit");
  AddPolicyLine(selection, out);
}

}  // namespace

void WriteOlderHeaders(const HeaderOptions& options, const AnswerFacts& facts,
                       const Selection& selection, HeaderLines& out) {
  const Applied& shown = *selection.lowest().applied;
  Numbers numbers{Clamped(LimitOf(shown)), Clamped(shown.remaining), ResetSeconds(shown)};
  Numbers draft = numbers;
  const std::int64_t retry = RetryAfterSeconds(facts);
  if (retry > 0) draft.reset = retry;
  switch (options.style) {
    case HeaderStyle::kEnvoy03:
      return AddEnvoy(numbers, selection, out);
    case HeaderStyle::kXDelta:
      out.AddNumber("x-ratelimit-limit", numbers.limit);
      out.AddNumber("x-ratelimit-remaining", numbers.remaining);
      return out.AddNumber("x-ratelimit-reset", numbers.reset);
    case HeaderStyle::kGithub:
      return AddGithub(numbers, facts, selection, out);
    case HeaderStyle::kPlain:
      return AddTriple(numbers, out);
    case HeaderStyle::kDraft03:
      AddLimitWithPolicies("ratelimit-limit", draft, false, selection, out);
      out.AddNumber("ratelimit-remaining", draft.remaining);
      return out.AddNumber("ratelimit-reset", draft.reset);
    case HeaderStyle::kDraft06:
      out.AddNumber("ratelimit-limit", draft.limit);
      AddPolicyLine(selection, out);
      out.AddNumber("ratelimit-remaining", draft.remaining);
      return out.AddNumber("ratelimit-reset", draft.reset);
    case HeaderStyle::kDraft07:
      return AddDraft07(draft, selection, out);
    default:
      return;
  }
}

}  // namespace weir
