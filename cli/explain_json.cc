#include <nlohmann/json.hpp>

#include "cli/explain_advice.h"
#include "cli/explain_text.h"

namespace weir::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string_view WordOf(MatchKind kind) {
  switch (kind) {
    case MatchKind::kExact:
      return "exact";
    case MatchKind::kPattern:
      return "pattern";
    case MatchKind::kAnyValue:
      return "any_value";
  }
  return {};
}

std::string_view WordOf(PassedOver why) {
  switch (why) {
    case PassedOver::kOtherValue:
      return "other_value";
    case PassedOver::kNoPatternFit:
      return "no_pattern_fit";
    case PassedOver::kLessSpecific:
      return "less_specific";
    case PassedOver::kLaterPattern:
      return "later_pattern";
  }
  return {};
}

Json NodeJson(const Policy::Node& node) {
  Json out{{"key", node.key}, {"value", node.value}};
  if (node.written != nullptr) {
    out["file"] = node.written->where.file;
    out["line"] = node.written->where.line;
  }
  if (node.rule != nullptr) out["rule"] = node.rule->id;
  return out;
}

Json RuleJson(const Rule& rule) {
  Json out{{"id", rule.id},
           {"name", rule.name},
           {"file", rule.where.file},
           {"line", rule.where.line},
           {"unlimited", rule.unlimited}};
  if (!rule.unlimited) {
    out["limit"] = rule.quota.limit;
    out["window_ms"] = std::chrono::duration<double, std::milli>(rule.quota.window).count();
    out["burst"] = rule.quota.burst;
    out["algorithm"] = NameOf(rule.quota.algorithm);
  }
  out["shadow_mode"] = rule.shadow_mode;
  out["quota_mode"] = rule.quota_mode;
  out["enforce_percent"] = rule.enforce_percent;
  if (rule.on_store_failure) out["on_store_failure"] = NameOf(rule.on_store_failure->mode);
  if (!rule.annotations.owner.empty()) out["owner"] = rule.annotations.owner;
  return out;
}

Json LevelJson(const Policy& policy, const ExplainedLevel& level) {
  Json out{{"key", level.key}, {"value", level.value}};
  if (level.taken == Policy::kNone) {
    out["match"] = "none";
  } else {
    out["match"] = WordOf(level.kind);
    out["node"] = NodeJson(policy.node(level.taken));
  }
  out["passed_over"] = Json::array();
  for (const ExplainedLevel::Other& other : level.others) {
    Json node = NodeJson(policy.node(other.node));
    node["why"] = WordOf(other.why);
    out["passed_over"].push_back(std::move(node));
  }
  out["more_passed_over"] = level.more_others;
  out["known_keys"] = level.known_keys;
  return out;
}

}  // namespace

std::string ExplainJson(const Policy& policy, std::string_view domain, const Descriptor& descriptor,
                        const Explanation& explanation) {
  Json out{{"schema", "weir.explain/1"},
           {"domain", domain},
           {"entries", Json::array()},
           {"end", NameOf(explanation.end)}};
  for (const Entry& entry : descriptor.entries) {
    out["entries"].push_back({{"key", entry.key}, {"value", entry.value}});
  }
  out["rule"] = explanation.rule == nullptr ? Json() : RuleJson(*explanation.rule);
  out["levels"] = Json::array();
  for (const ExplainedLevel& level : explanation.levels) {
    out["levels"].push_back(LevelJson(policy, level));
  }
  const Advice advice = AdviceFor(policy, domain, descriptor, explanation);
  out["why"] = advice.why;
  out["ways_out"] = Json::array();
  for (const Advice::WayOut& way : advice.ways_out) {
    out["ways_out"].push_back({{"text", way.text}, {"yaml", way.yaml}});
  }
  // What people type need not be UTF-8.
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace weir::cli
