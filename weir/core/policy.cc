#include "weir/core/policy.h"

#include <array>
#include <cassert>

#include "weir/core/pattern.h"
#include "weir/core/policy_builder.h"
#include "weir/core/policy_hash.h"

namespace weir {

std::shared_ptr<const Policy> Policy::Build(std::vector<DomainRules> domains,
                                            const PolicyOptions& options, const Policy* previous,
                                            Instant now) {
  return PolicyBuilder(options, previous, now).Build(std::move(domains));
}

Policy::~Policy() = default;

Policy::NodeIndex Policy::FindDomain(std::string_view domain) const {
  return Find(policy_hash::OfKey(kNone, domain, options_.seed), kNone, domain, {});
}

Policy::Step Policy::Child(NodeIndex parent, const Entry& entry, std::uint64_t value_hash) const {
  if (!nodes_[parent].has_children) return {};
  if (options_.profile == Profile::kReference) return ChildByText(parent, entry);

  const std::uint64_t key_hash = policy_hash::OfKey(parent, entry.key, options_.seed);
  if (!entry.value.empty()) {
    const std::uint64_t hash = policy_hash::OfValue(key_hash, value_hash);
    if (const NodeIndex n = Find(hash, parent, entry.key, entry.value); n != kNone) {
      return {n, MatchKind::kExact};
    }
  }
  for (const NodeIndex n : Patterns(parent)) {
    if (nodes_[n].key == entry.key && MatchesPattern(nodes_[n].value, entry.value)) {
      return {n, MatchKind::kPattern};
    }
  }
  return {Find(key_hash, parent, entry.key, {}), MatchKind::kAnyValue};
}

// The reference service joins key and value with an underscore before it compares anything, so
// that (a, b) also meets a rule for the bare key "a_b", and stars in keys are stars.
Policy::Step Policy::ChildByText(NodeIndex parent, const Entry& entry) const {
  const std::size_t size = entry.key.size() + 1 + entry.value.size();
  std::array<char, 256> near;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below.
  std::string far;
  char* text = near.data();
  if (size > near.size()) {
    far.resize(size);
    text = far.data();
  }
  entry.key.copy(text, entry.key.size());
  text[entry.key.size()] = '_';
  entry.value.copy(text + entry.key.size() + 1, entry.value.size());
  const std::string_view joined(text, size);

  const std::uint64_t joined_hash = policy_hash::OfKey(parent, joined, options_.seed);
  if (const NodeIndex n = FindText(joined_hash, parent, joined); n != kNone) {
    return {n, MatchKind::kExact};
  }
  for (const NodeIndex n : Patterns(parent)) {
    if (MatchesPattern(texts_[n], joined)) return {n, MatchKind::kPattern};
  }
  const std::uint64_t key_hash = policy_hash::OfKey(parent, entry.key, options_.seed);
  return {FindText(key_hash, parent, entry.key), MatchKind::kAnyValue};
}

Policy::NodeIndex Policy::Find(std::uint64_t hash, NodeIndex parent, std::string_view key,
                               std::string_view value) const {
  const std::size_t mask = index_.size() - 1;
  for (std::size_t i = hash & mask; index_[i].node != kNone; i = (i + 1) & mask) {
    if (index_[i].hash != hash) continue;
    const Node& n = nodes_[index_[i].node];
    if (n.parent == parent && n.key == key && n.value == value) return index_[i].node;
  }
  return kNone;
}

Policy::NodeIndex Policy::FindText(std::uint64_t hash, NodeIndex parent,
                                   std::string_view text) const {
  const std::size_t mask = index_.size() - 1;
  for (std::size_t i = hash & mask; index_[i].node != kNone; i = (i + 1) & mask) {
    if (index_[i].hash != hash) continue;
    const NodeIndex n = index_[i].node;
    if (nodes_[n].parent == parent && texts_[n] == text) return n;
  }
  return kNone;
}

const Rule& Policy::OverrideRule(NodeIndex domain) const {
  assert(domain != kNone && nodes_[domain].parent == kNone && "not a domain's node");
  return *override_rules_[nodes_[domain].domain];
}

const Rule* Policy::FindRule(std::string_view id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

}  // namespace weir
