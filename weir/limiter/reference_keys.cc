#include "weir/limiter/reference_keys.h"

#include <charconv>
#include <cstring>

#include "weir/core/algorithm/window.h"

namespace weir::reference_keys {
namespace {

// Fills a text of known size from its end, since a matched node knows its parent and not its
// children.
class BackwardWriter {
 public:
  BackwardWriter(Arena& arena, std::size_t size)
      : begin_(arena.Take(size)), at_(begin_ + size), size_(size) {}

  void Put(std::string_view text) {
    at_ -= text.size();
    if (!text.empty()) std::memcpy(at_, text.data(), text.size());
  }
  void Put(char c) { *--at_ = c; }
  std::string_view text() const { return {begin_, size_}; }

 private:
  char* begin_;
  char* at_;
  std::size_t size_;
};

bool IsPattern(const Policy::Node& node) {
  return node.value.find('*') != std::string_view::npos;
}

std::string_view KeyedValue(const Policy& policy, Policy::NodeIndex node, const Entry& entry) {
  if (node == Policy::kNone) return entry.value;
  const Policy::Node& n = policy.node(node);
  return n.share_threshold && IsPattern(n) ? n.value : entry.value;
}

// One level of a metric key: the value part, and whether there is one at all.
struct StatPart {
  std::string_view key;
  std::string_view value;
  bool has_value = false;

  std::size_t size() const { return 1 + key.size() + (has_value ? 1 + value.size() : 0); }
};

StatPart PartOf(const Policy& policy, Policy::NodeIndex node, bool detailed, const Entry& entry) {
  if (node == Policy::kNone) return {entry.key, entry.value, !entry.value.empty()};
  const Policy::Node& n = policy.node(node);
  const bool pattern = IsPattern(n);
  if (n.share_threshold && pattern) return {entry.key, n.value, true};
  if (detailed) return {entry.key, entry.value, true};
  if (n.value_to_metric && (pattern || n.value.empty())) {
    return {n.key, entry.value, !entry.value.empty()};
  }
  return {n.key, n.value, !n.value.empty()};
}

Policy::NodeIndex Parent(const Policy& policy, Policy::NodeIndex node) {
  return node == Policy::kNone ? node : policy.node(node).parent;
}

}  // namespace

std::string_view CacheKey(const Policy& policy, std::string_view domain,
                          const DescriptorMatch& match, const Descriptor& descriptor,
                          const Quota& quota, WallTime now, std::string_view prefix, Arena& arena) {
  char digits[24];
  const char* const end =
      std::to_chars(digits, digits + sizeof digits, UnixSeconds(WindowAt(quota, now).start)).ptr;
  const std::string_view start(digits, static_cast<std::size_t>(end - digits));

  const auto& entries = descriptor.entries;
  std::size_t size = prefix.size() + domain.size() + 1 + start.size();
  Policy::NodeIndex node = match.node;
  for (std::size_t i = entries.size(); i-- > 0; node = Parent(policy, node)) {
    size += entries[i].key.size() + KeyedValue(policy, node, entries[i]).size() + 2;
  }
  BackwardWriter out(arena, size);
  out.Put(start);
  node = match.node;
  for (std::size_t i = entries.size(); i-- > 0; node = Parent(policy, node)) {
    out.Put('_');
    out.Put(KeyedValue(policy, node, entries[i]));
    out.Put('_');
    out.Put(entries[i].key);
  }
  out.Put('_');
  out.Put(domain);
  out.Put(prefix);
  return out.text();
}

std::string_view StatKey(const Policy& policy, Policy::NodeIndex domain,
                         const DescriptorMatch& match, const Descriptor& descriptor, Arena& arena) {
  if (match.node != Policy::kNone && !policy.node(match.node).dynamic_stat) return {};
  const bool detailed = match.node != Policy::kNone && match.rule->detailed_metric;
  const std::string_view name = policy.node(domain).key;
  const auto& entries = descriptor.entries;
  std::size_t size = name.size();
  Policy::NodeIndex node = match.node;
  for (std::size_t i = entries.size(); i-- > 0; node = Parent(policy, node)) {
    size += PartOf(policy, node, detailed, entries[i]).size();
  }
  BackwardWriter out(arena, size);
  node = match.node;
  for (std::size_t i = entries.size(); i-- > 0; node = Parent(policy, node)) {
    const StatPart part = PartOf(policy, node, detailed, entries[i]);
    if (part.has_value) {
      out.Put(part.value);
      out.Put('_');
    }
    out.Put(part.key);
    out.Put('.');
  }
  out.Put(name);
  return out.text();
}

}  // namespace weir::reference_keys
