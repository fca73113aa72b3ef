#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "weir/base/clock.h"
#include "weir/base/hash.h"
#include "weir/core/descriptor.h"
#include "weir/core/rule.h"

namespace weir {

// Which behaviour a policy asks for.
enum class Profile : std::uint8_t {
  kNative,     // The better choices: framed keys, all-or-nothing charging, token buckets.
  kReference,  // Exactly what envoyproxy/ratelimit does with the same files.
};

struct PolicyOptions {
  Profile profile = Profile::kNative;
  std::uint64_t seed = 0;        // Of every hash that clients can influence.  Random per process.
  std::uint64_t generation = 1;  // Counts loads, for people.
  std::string fingerprint{};     // Of the files' bytes, for people.
  WallTime loaded_at{};
  bool calendar_months = false;  // Fixed windows of a month that a request brings along, too.
};

// How an entry of a request came to a node of the tree.
enum class MatchKind : std::uint8_t { kExact, kPattern, kAnyValue };

// A compiled, immutable set of rules: what the files say, ready to be walked.  Thread-safe.
class Policy {
 public:
  // `previous` lends the rules' revisions, so that a changed quota is noticed (see
  // Rule::carried);
  // null at the first load.  Among siblings with the same key and value the first is kept.
  static std::shared_ptr<const Policy> Build(std::vector<DomainRules> domains,
                                             const PolicyOptions& options,
                                             const Policy* previous = nullptr,
                                             Instant now = Instant{});
  ~Policy();
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  // -- walking --
  using NodeIndex = std::uint32_t;
  static constexpr NodeIndex kNone = 0;

  struct Node {
    std::string_view key;
    std::string_view value;  // As written: the pattern for kPattern, empty for any.
    const Rule* rule = nullptr;
    NodeIndex parent = kNone;
    std::uint32_t first_pattern = 0;  // Into patterns(); those of this node's children.
    std::uint32_t patterns = 0;
    bool has_children = false;
    bool value_to_metric = false;
    bool share_threshold = false;
    bool open = false;          // The request's value is part of the counter's key.
    bool dynamic_stat = false;  // The reference's metric key depends on the request's values.
    std::uint32_t domain = 0;   // A domain's node: its place in domains().
    const RuleNode* written = nullptr;  // As the files have it; null for a domain.
  };
  struct Step {
    NodeIndex node = kNone;
    MatchKind kind = MatchKind::kExact;
  };

  // The node of a domain, from which its descriptors hang; kNone if the policy has no such domain.
  NodeIndex FindDomain(std::string_view domain) const;

  // The child of `parent` that `entry` selects: the exact value before the first pattern in file
  // order before the key alone.  A step to kNone if there is none.  There is no going back: what a
  // more specific child lacks below, a less specific sibling does not supply.
  Step Child(NodeIndex parent, const Entry& entry) const {
    return Child(parent, entry, HashOf(entry.value));
  }
  // The same for whoever has HashOf(entry.value) already.
  Step Child(NodeIndex parent, const Entry& entry, std::uint64_t value_hash) const;
  std::uint64_t HashOf(std::string_view value) const { return Hash64(value, options_.seed); }

  const Node& node(NodeIndex i) const { return nodes_[i]; }

  // The children of `parent` whose values are patterns, in file order.
  std::span<const NodeIndex> Patterns(NodeIndex parent) const {
    return {patterns_.data() + nodes_[parent].first_pattern, nodes_[parent].patterns};
  }

  // Charged for requests that bring their own limit to a domain whose rules do not match.
  const Rule& OverrideRule(NodeIndex domain) const;

  // -- looking --
  const PolicyOptions& options() const { return options_; }
  Profile profile() const { return options_.profile; }
  // Every rule, in the order of the files; `rule.index` is its place here.
  std::span<const Rule* const> rules() const { return rules_; }
  std::span<const DomainRules> domains() const { return domains_; }
  const Rule* FindRule(std::string_view id) const;
  std::size_t nodes() const { return nodes_.size(); }

 private:
  friend class PolicyBuilder;
  Policy() = default;

  Step ChildByText(NodeIndex parent, const Entry& entry) const;
  NodeIndex Find(std::uint64_t hash, NodeIndex parent, std::string_view key,
                 std::string_view value) const;
  NodeIndex FindText(std::uint64_t hash, NodeIndex parent, std::string_view text) const;

  struct Slot {
    std::uint64_t hash = 0;
    NodeIndex node = kNone;
  };

  PolicyOptions options_;
  std::vector<DomainRules> domains_;
  std::vector<Node> nodes_;         // [0] is a sentinel.
  std::vector<std::string> texts_;  // Reference profile: each node's composite "key_value".
  std::vector<NodeIndex> patterns_;
  std::vector<Slot> index_;  // Open addressing; a power of two, at most half full.
  std::vector<const Rule*> rules_;
  std::vector<std::unique_ptr<Rule>> override_rules_;  // By domain.
  std::unordered_map<std::string_view, const Rule*> by_id_;
};

}  // namespace weir
