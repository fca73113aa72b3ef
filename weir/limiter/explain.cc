#include "weir/limiter/explain.h"

#include <algorithm>

#include "weir/core/pattern.h"

namespace weir {
namespace {

PassedOver WhyNot(const Policy::Node& node, const Policy::Step& step, const Entry& entry) {
  if (node.value.empty()) return PassedOver::kLessSpecific;
  if (node.value.find('*') == std::string_view::npos) return PassedOver::kOtherValue;
  if (!MatchesPattern(node.value, entry.value)) return PassedOver::kNoPatternFit;

  return step.kind == MatchKind::kPattern ? PassedOver::kLaterPattern : PassedOver::kLessSpecific;
}

void AddOnce(std::vector<std::string>& keys, std::string_view key) {
  if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.emplace_back(key);
}

ExplainedLevel ExplainLevel(const Policy& policy, Policy::NodeIndex parent, const Entry& entry) {
  ExplainedLevel level{.key = std::string(entry.key), .value = std::string(entry.value)};
  const Policy::Step step = policy.Child(parent, entry);
  level.taken = step.node;
  level.kind = step.kind;
  for (Policy::NodeIndex i = 1; i < policy.nodes(); ++i) {
    const Policy::Node& node = policy.node(i);
    if (node.parent != parent || node.written == nullptr || i == step.node) continue;
    if (step.node == Policy::kNone) AddOnce(level.known_keys, node.key);
    if (node.key != entry.key) continue;
    if (level.others.size() < Explanation::kMostOthers) {
      level.others.push_back({i, WhyNot(node, step, entry)});
    } else {
      ++level.more_others;
    }
  }
  return level;
}

}  // namespace

Explanation Explain(const Policy& policy, std::string_view domain, const Descriptor& descriptor) {
  Explanation out;
  Policy::NodeIndex at = policy.FindDomain(domain);
  if (at == Policy::kNone) return out;
  out.end = Explanation::End::kEmpty;
  for (const Entry& entry : descriptor.entries) {
    if (!out.levels.empty() && !policy.node(at).has_children) {
      out.end = Explanation::End::kTooDeep;
      if (policy.node(at).rule != nullptr) out.shallower.push_back(policy.node(at).rule);
      out.levels.push_back({.key = std::string(entry.key), .value = std::string(entry.value)});
      return out;
    }
    if (!out.levels.empty() && policy.node(at).rule != nullptr) {
      out.shallower.push_back(policy.node(at).rule);
    }
    out.levels.push_back(ExplainLevel(policy, at, entry));
    at = out.levels.back().taken;
    if (at == Policy::kNone) {
      out.end = Explanation::End::kNoEntry;
      return out;
    }
  }
  if (descriptor.entries.empty()) return out;
  out.rule = policy.node(at).rule;
  out.end = out.rule == nullptr   ? Explanation::End::kTooShallow
            : out.rule->unlimited ? Explanation::End::kUnlimited
                                  : Explanation::End::kRule;
  return out;
}

}  // namespace weir
