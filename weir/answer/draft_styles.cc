#include "weir/answer/structured_field.h"
#include "weir/answer/styles.h"

namespace weir {
namespace {

// Everything in which draft-11 and draft-12 differ; an empty name leaves the parameter out.
struct Dialect {
  std::string_view available;
  std::string_view window;
  std::string_view also_available;
  std::string_view also_window;
  bool tokens = false;
  bool cost = false;
};

Dialect DialectOf(HeaderStyle style) {
  if (style == HeaderStyle::kDraft12) return {"a", "w", {}, {}, true, true};
  if (style == HeaderStyle::kDual) return {"r", "t", "a", "w", false, false};
  return {"r", "t", {}, {}, false, false};
}

void OpenMember(FieldListWriter& list, std::string_view name, bool tokens) {
  if (tokens && IsFieldToken(name)) {
    list.Token(name);
  } else {
    list.String(name);
  }
}

void WritePolicy(FieldListWriter& list, const Selection::Policy& policy, bool tokens) {
  const Quota& quota = *policy.applied->quota;
  OpenMember(list, policy.name, tokens);
  list.Integer("q", quota.limit);
  const std::string_view unit = policy.applied->quota_unit;
  if (!unit.empty() && IsFieldString(unit)) list.String("qu", unit);
  if (quota.window > Duration::zero()) list.Integer("w", WindowSeconds(quota));
  if (!policy.applied->partition_key.empty()) list.Bytes("pk", policy.applied->partition_key);
  const bool bucket = quota.algorithm == Algorithm::kTokenBucket;
  if (bucket && quota.burst != quota.limit) list.Integer("weir-burst", quota.burst);
  list.Close();
}

void WriteLimit(FieldListWriter& list, const Selection::Policy& policy, const Dialect& dialect,
                const HeaderOptions& options, std::uint64_t cost) {
  OpenMember(list, policy.name, dialect.tokens && options.token_names);
  const std::uint64_t available = Advertised(*policy.applied, options.ratio_cap);
  const auto window = EffectiveWindow(*policy.applied);
  list.Integer(dialect.available, available);
  if (window) list.Integer(dialect.window, *window);
  if (!dialect.also_available.empty()) {
    list.Integer(dialect.also_available, available);
    if (window) list.Integer(dialect.also_window, *window);
  }
  if (!policy.applied->partition_key.empty()) list.Bytes("pk", policy.applied->partition_key);
  if (dialect.cost && options.show_cost) list.Integer("c", cost);
  list.Close();
}

}  // namespace

void WriteDraftHeaders(const HeaderOptions& options, const AnswerFacts& facts,
                       const Selection& selection, HeaderLines& out) {
  const Dialect dialect = DialectOf(options.style);
  {
    FieldListWriter list(out.text());
    for (const Selection::Policy& policy : selection.policies()) {
      WritePolicy(list, policy, dialect.tokens && options.token_names);
    }
    out.EndLine("ratelimit-policy");
  }
  const bool allowed = facts.verdict == Verdict::kAllow;
  const Listing listing = allowed ? options.when_allowed : options.when_denied;
  FieldListWriter list(out.text());
  for (const Selection::Policy& policy : selection.policies()) {
    if (selection.Lists(policy, listing)) {
      WriteLimit(list, policy, dialect, options, facts.cost);
    }
  }
  out.EndLine("ratelimit");
}

}  // namespace weir
