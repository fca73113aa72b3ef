#pragma once

#include <memory>
#include <string>

#include "weir/core/policy.h"

namespace weir {

// Turns trees of rules into a Policy: numbers nodes and rules, derives ids and hashes, compares
// quotas with the previous policy's.  One use, one policy.  Part of Policy::Build().
class PolicyBuilder {
 public:
  PolicyBuilder(const PolicyOptions& options, const Policy* previous, Instant now);

  std::shared_ptr<const Policy> Build(std::vector<DomainRules> domains);

 private:
  struct Path {
    std::string id;
    std::string stat;
    std::uint64_t hash = 0;
    bool dynamic_stat = false;
  };

  void AddDomain(DomainRules& domain);
  void AddChildren(Policy::NodeIndex parent, std::vector<RuleNode>& children, const Path& above,
                   const std::string& domain);
  void AddRule(Policy::NodeIndex index, Rule& rule, const Path& path, const std::string& domain);
  void CarryOver(Rule& rule) const;
  void BuildIndex();
  void Insert(std::uint64_t hash, Policy::NodeIndex node);

  const Policy* previous_;
  Instant now_;
  std::shared_ptr<Policy> policy_;
};

}  // namespace weir
