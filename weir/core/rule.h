#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/core/failure_policy.h"
#include "weir/core/quota.h"
#include "weir/core/value.h"

namespace weir {

// Where in the policy's files something was written.  Lines and columns count from 1; 0 means
// nowhere (a rule made in code).
struct SourcePosition {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  bool operator==(const SourcePosition&) const = default;
};

// What people wrote down about a rule; nothing here changes a decision.
struct Annotations {
  std::string owner;
  std::string reason;
  std::string review_by;  // "YYYY-MM-DD"; past it `weir check` and a metric warn.
  bool security = false;  // Guards something: `open` on it draws a warning.

  bool operator==(const Annotations&) const = default;
};

// What a reload keeps of a rule whose numbers changed: each key's level, found under its old
// identity, is carried over to the new quota the first time the key is charged again.  One change
// is remembered: keys not seen between two quick changes start full.
struct CarriedQuota {
  std::uint64_t id_hash = 0;
  Quota quota;
  Instant until{};  // When every level of the old quota has died out anyway.
};

// A node of the descriptor tree that has a limit.  Immutable once its Policy is built.
struct Rule {
  // -- given --
  Quota quota;             // Meaningless when `unlimited`.
  bool unlimited = false;  // Never limits, is never counted.
  std::string name;        // rate_limit.name: target of `replaces`, echoed on the wire.
  std::vector<std::string> replaces;
  bool shadow_mode = false;             // Count, never deny.
  bool quota_mode = false;              // A soft rule: alone, it denies only if all soft rules do.
  bool detailed_metric = false;         // Metrics by the value of every entry.
  std::uint32_t enforce_percent = 100;  // Of keys, stable by hash.  Below 100, native only.
  std::optional<FailurePolicy> on_store_failure;
  Annotations annotations;
  Value metadata;  // Null, or a struct copied into dynamic_metadata when the descriptor passes.
  SourcePosition where;

  // -- filled by Policy --
  std::uint32_t index = 0;  // Dense in its policy, from 0: the key of counters.
  std::string domain;
  std::string id;             // "shop/tenant=acme/path": unique in its policy, stable over reloads.
  std::string stat_key;       // The reference service's: "shop.tenant_acme.path".
  std::uint64_t id_hash = 0;  // Of the path and the revision, seeded by the policy.
  std::uint32_t revision = 0;  // Counts changes of the quota over reloads.
  std::optional<CarriedQuota> carried;

  // Whether the rule can deny at all.
  bool enforcing() const { return !shadow_mode && enforce_percent > 0; }
  // What people call it: its name if it has one, else its id.
  const std::string& label() const { return name.empty() ? id : name; }
};

// A descriptor of the policy as written: a key, perhaps a value (`*` matches anything), perhaps a
// rule, and what lies below.
struct RuleNode {
  std::string key;
  std::string value;  // Empty: any value.
  std::optional<Rule> rule;
  bool value_to_metric = false;
  bool share_threshold = false;  // All values that match the pattern share one counter.
  SourcePosition where;
  std::vector<RuleNode> children;  // In file order, which ranks wildcards.
};

struct DomainRules {
  std::string name;
  SourcePosition where;
  std::vector<RuleNode> children;
};

}  // namespace weir
