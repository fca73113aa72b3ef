#include "weir/core/policy_builder.h"

#include <algorithm>
#include <bit>

#include "weir/core/policy_hash.h"

namespace weir {
namespace {

bool HasStar(std::string_view text) {
  return text.find('*') != std::string_view::npos;
}

std::string Composite(const RuleNode& node) {
  return node.value.empty() ? node.key : node.key + "_" + node.value;
}

Duration LifetimeOf(const Quota& quota) {
  if (quota.algorithm == Algorithm::kTokenBucket) {
    return Duration(quota.tolerance / Quota::kTicksPerNano + 1);
  }
  return 2 * quota.window;
}

}  // namespace

PolicyBuilder::PolicyBuilder(const PolicyOptions& options, const Policy* previous, Instant now)
    : previous_(previous), now_(now), policy_(new Policy) {
  policy_->options_ = options;
}

std::shared_ptr<const Policy> PolicyBuilder::Build(std::vector<DomainRules> domains) {
  policy_->domains_ = std::move(domains);
  policy_->nodes_.emplace_back();  // Index 0 says "none".
  policy_->texts_.emplace_back();
  for (DomainRules& domain : policy_->domains_) AddDomain(domain);
  BuildIndex();
  return policy_;
}

void PolicyBuilder::AddDomain(DomainRules& domain) {
  const auto index = static_cast<Policy::NodeIndex>(policy_->nodes_.size());
  Policy::Node& node = policy_->nodes_.emplace_back();
  policy_->texts_.push_back(domain.name);
  node.key = domain.name;
  node.parent = Policy::kNone;
  node.domain = static_cast<std::uint32_t>(policy_->override_rules_.size());

  Path path{
      .id = domain.name, .stat = domain.name, .hash = Hash64(domain.name, policy_->options_.seed)};
  auto rule = std::make_unique<Rule>();
  rule->where = domain.where;
  AddRule(Policy::kNone, *rule,
          {.id = domain.name + "/~override", .stat = domain.name, .hash = MixHash(path.hash, 1)},
          domain.name);
  policy_->override_rules_.push_back(std::move(rule));
  AddChildren(index, domain.children, path, domain.name);
}

void PolicyBuilder::AddChildren(Policy::NodeIndex parent, std::vector<RuleNode>& children,
                                const Path& above, const std::string& domain) {
  Policy& p = *policy_;
  const bool reference = p.options_.profile == Profile::kReference;
  const auto first = static_cast<Policy::NodeIndex>(p.nodes_.size());
  p.nodes_[parent].has_children = !children.empty();

  // Siblings lie side by side, and their patterns too, before anything below them.
  for (RuleNode& child : children) {
    Policy::Node& node = p.nodes_.emplace_back();
    p.texts_.push_back(reference ? Composite(child) : std::string());
    node.key = child.key;
    node.value = child.value;
    node.parent = parent;
    node.value_to_metric = child.value_to_metric;
    node.share_threshold = child.share_threshold;
    node.open = child.value.empty() || (HasStar(child.value) && !child.share_threshold);
    node.written = &child;
  }
  p.nodes_[parent].first_pattern = static_cast<std::uint32_t>(p.patterns_.size());
  for (std::size_t i = 0; i < children.size(); ++i) {
    const auto index = static_cast<Policy::NodeIndex>(first + i);
    const std::string& text = reference ? p.texts_[index] : children[i].value;
    if (HasStar(text)) {
      p.patterns_.push_back(index);
      ++p.nodes_[parent].patterns;
    }
  }
  for (std::size_t i = 0; i < children.size(); ++i) {
    RuleNode& child = children[i];
    const auto index = static_cast<Policy::NodeIndex>(first + i);
    Path path;
    path.id = above.id + "/" + child.key + (child.value.empty() ? "" : "=" + child.value);
    path.stat = above.stat + "." + Composite(child);
    path.hash = MixHash(MixHash(above.hash, Hash64(child.key, p.options_.seed)),
                        Hash64(child.value, p.options_.seed));
    path.dynamic_stat = above.dynamic_stat || child.value_to_metric;
    p.nodes_[index].dynamic_stat = path.dynamic_stat || (child.rule && child.rule->detailed_metric);
    if (child.rule) AddRule(index, *child.rule, path, domain);
    AddChildren(index, child.children, path, domain);
  }
}

void PolicyBuilder::AddRule(Policy::NodeIndex index, Rule& rule, const Path& path,
                            const std::string& domain) {
  Policy& p = *policy_;
  rule.index = static_cast<std::uint32_t>(p.rules_.size());
  rule.domain = domain;
  rule.id = path.id;
  // Values may contain "/" and "=", so two paths can read alike; ids may not.
  for (int n = 2; p.by_id_.contains(rule.id); ++n) rule.id = path.id + "~" + std::to_string(n);
  rule.stat_key = path.stat;
  rule.id_hash = path.hash;
  CarryOver(rule);
  p.rules_.push_back(&rule);
  p.by_id_.emplace(rule.id, &rule);
  if (index != Policy::kNone) p.nodes_[index].rule = &rule;
}

void PolicyBuilder::CarryOver(Rule& rule) const {
  rule.revision = 0;
  rule.carried.reset();
  const Rule* const before = previous_ == nullptr ? nullptr : previous_->FindRule(rule.id);
  if (before != nullptr) {
    rule.revision = before->revision;
    if (before->quota == rule.quota) {
      if (before->carried && before->carried->until > now_) rule.carried = before->carried;
    } else if (policy_->options_.profile == Profile::kNative && !before->unlimited) {
      ++rule.revision;
      rule.carried = CarriedQuota{.id_hash = before->id_hash,
                                  .quota = before->quota,
                                  .until = now_ + LifetimeOf(before->quota)};
    }
  }
  if (rule.revision != 0) rule.id_hash = MixHash(rule.id_hash, rule.revision);
}

void PolicyBuilder::BuildIndex() {
  Policy& p = *policy_;
  p.index_.resize(std::bit_ceil(std::max<std::size_t>(16, 2 * p.nodes_.size())));
  const std::uint64_t seed = p.options_.seed;
  for (Policy::NodeIndex i = 1; i < p.nodes_.size(); ++i) {
    const Policy::Node& node = p.nodes_[i];
    std::uint64_t hash = 0;
    if (p.options_.profile == Profile::kReference) {
      hash = policy_hash::OfKey(node.parent, p.texts_[i], seed);
    } else {
      hash = policy_hash::OfKey(node.parent, node.key, seed);
      if (!node.value.empty()) hash = policy_hash::OfValue(hash, Hash64(node.value, seed));
    }
    Insert(hash, i);
  }
}

void PolicyBuilder::Insert(std::uint64_t hash, Policy::NodeIndex node) {
  auto& index = policy_->index_;
  const std::size_t mask = index.size() - 1;
  std::size_t i = hash & mask;
  while (index[i].node != Policy::kNone) i = (i + 1) & mask;
  index[i] = {.hash = hash, .node = node};
}

}  // namespace weir
