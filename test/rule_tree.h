#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "weir/core/policy.h"
#include "weir/core/quota.h"
#include "weir/core/rule.h"

namespace weir {

// Rule trees written down as an expression, for tests.

inline PolicyOptions OptionsOf(Profile profile = Profile::kNative, std::uint64_t seed = 42) {
  PolicyOptions options;
  options.profile = profile;
  options.seed = seed;
  return options;
}

inline Rule RuleOf(std::uint64_t limit, Unit unit = Unit::kMinute,
                   Algorithm algorithm = Algorithm::kTokenBucket) {
  Rule rule;
  rule.quota = MakeQuota({.algorithm = algorithm, .limit = limit, .unit = unit}).value();
  return rule;
}

// A node without a limit of its own.
inline RuleNode BranchOf(std::string key, std::string value, std::vector<RuleNode> children) {
  RuleNode node;
  node.key = std::move(key);
  node.value = std::move(value);
  node.children = std::move(children);
  return node;
}

// A node with `limit` a minute.
inline RuleNode NodeOf(std::string key, std::string value, std::uint64_t limit,
                       std::vector<RuleNode> children = {}) {
  RuleNode node = BranchOf(std::move(key), std::move(value), std::move(children));
  node.rule = RuleOf(limit);
  return node;
}

inline DomainRules DomainOf(std::string name, std::vector<RuleNode> children) {
  DomainRules domain;
  domain.name = std::move(name);
  domain.children = std::move(children);
  return domain;
}

}  // namespace weir
