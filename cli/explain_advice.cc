#include "cli/explain_advice.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "weir/config/diagnostic.h"
#include "weir/config/render.h"

namespace weir::cli {
namespace {

using End = Explanation::End;

std::string Spelled(std::size_t n) {
  static constexpr std::array<std::string_view, 10> kWords{"no",   "one", "two",   "three", "four",
                                                           "five", "six", "seven", "eight", "nine"};
  return n < kWords.size() ? std::string(kWords[n]) : std::to_string(n);
}

std::string EntriesText(std::span<const Entry> entries) {
  std::string out;
  for (const Entry& entry : entries) {
    out += (out.empty() ? "" : ", ") + std::string(entry.key) + "=" + std::string(entry.value);
  }
  return "(" + out + ")";
}

// A key as it may stand in YAML.
std::string YamlScalar(std::string_view text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
  static constexpr std::array<std::string_view, 8> kWords{"y",  "n",   "yes",  "no",
                                                          "on", "off", "true", "null"};
  const bool letter = plain && ((text[0] | 0x20) >= 'a' && (text[0] | 0x20) <= 'z');
  const bool word = std::find(kWords.begin(), kWords.end(), text) != kWords.end();
  return letter && !word && text != "false" ? std::string(text) : JsonQuoted(text);
}

// The limit of the rule that was met on the way, as a start; any number would do.
std::string RateLimitLine(const Explanation& explanation) {
  std::string unit = "second";
  std::uint64_t limit = 50;
  if (!explanation.shallower.empty()) {
    const Rule& rule = *explanation.shallower.back();
    if (!rule.unlimited && rule.quota.unit != Unit::kUnknown && rule.quota.limit > 0) {
      unit = NameOf(rule.quota.unit);
      for (char& c : unit) c = static_cast<char>(c | 0x20);
      limit = rule.quota.limit;
    }
  }
  return "rate_limit: {unit: " + unit + ", requests_per_unit: " + std::to_string(limit) + "}";
}

// The nested descriptors that `entries` lack.
std::vector<std::string> MissingNodes(std::span<const Entry> entries, bool with_list,
                                      const Explanation& explanation) {
  std::vector<std::string> lines;
  std::string indent;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i > 0 || with_list) {
      lines.push_back(indent + "descriptors:");
      indent += "  ";
    }
    lines.push_back(indent + "- key: " + YamlScalar(entries[i].key));
    indent += "  ";
  }
  lines.push_back(indent + RateLimitLine(explanation));
  return lines;
}

// The name that `word` may have been meant to be; empty if it is one of them.
std::string_view NearestOf(std::string_view word, const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), word) != names.end()) return {};
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return DidYouMean(word, candidates);
}

void Suggest(std::string_view near, Advice& out) {
  if (!near.empty()) out.why.push_back("did you mean `" + std::string(near) + "`?");
}

// Nothing under the last node that was reached goes on as the descriptor does.
void AdviseOnDepth(const Policy& policy, const Descriptor& descriptor,
                   const Explanation& explanation, Advice& out) {
  const std::size_t reached = explanation.levels.size() - 1;
  const Policy::Node& node = policy.node(explanation.levels[reached - 1].taken);
  if (!explanation.shallower.empty()) {
    const Rule* const rule = explanation.shallower.back();
    std::size_t depth = 0;
    while (policy.node(explanation.levels[depth].taken).rule != rule) ++depth;
    out.why = {"the descriptor has " + Spelled(descriptor.entries.size()) +
                   " entries, and a rule applies only at its own depth;",
               "the limit on " + NodeText(policy.node(explanation.levels[depth].taken)) +
                   " is at depth " + Spelled(depth + 1)};
    out.ways_out.push_back({"send " + EntriesText(descriptor.entries.subspan(0, depth + 1)) +
                                " as a second descriptor",
                            "[Envoy: add a rate_limits entry]",
                            {}});
  } else {
    out.why = {"below " + NodeText(node) + " nothing fits " +
               EntriesText(descriptor.entries.subspan(reached, 1))};
  }
  Suggest(NearestOf(explanation.levels[reached].key, explanation.levels[reached].known_keys), out);
  const std::string line = std::to_string(node.written->where.line);
  out.ways_out.push_back(
      {node.has_children ? "add to the descriptors below line " + line + ":"
                         : "add under line " + line + ":",
       "", MissingNodes(descriptor.entries.subspan(reached), !node.has_children, explanation)});
}

void AdviseAtTop(std::string_view domain, const Descriptor& descriptor,
                 const Explanation& explanation, Advice& out) {
  const ExplainedLevel& level = explanation.levels.front();
  const bool key_known = !level.others.empty();
  out.why = {"domain " + std::string(domain) + " has no rule for " +
             (key_known ? level.key + "=" + level.value : "the key `" + level.key + "`")};
  if (!key_known) Suggest(NearestOf(level.key, level.known_keys), out);
  out.ways_out.push_back({"add to the descriptors of domain " + std::string(domain) + ":", "",
                          MissingNodes(descriptor.entries, false, explanation)});
}

void AdviseOnDomain(const Policy& policy, std::string_view domain, Advice& out) {
  std::vector<std::string> names;
  for (const DomainRules& known : policy.domains()) names.push_back(known.name);
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  out.why = {"the policy has no domain " + std::string(domain) + "; it has: " + list};
  Suggest(NearestOf(domain, names), out);
}

}  // namespace

std::string NodeText(const Policy::Node& node) {
  std::string out(node.key);
  if (!node.value.empty()) out += "=" + std::string(node.value);
  return out;
}

Advice AdviceFor(const Policy& policy, std::string_view domain, const Descriptor& descriptor,
                 const Explanation& explanation) {
  Advice out;
  switch (explanation.end) {
    case End::kRule:
    case End::kUnlimited:
      break;
    case End::kNoDomain:
      AdviseOnDomain(policy, domain, out);
      break;
    case End::kEmpty:
      out.why = {"the descriptor has no entries"};
      break;
    case End::kTooShallow: {
      const Policy::Node& node = policy.node(explanation.levels.back().taken);
      out.why = {NodeText(node) +
                 " has no limit of its own; limits stand below it, for descriptors that go on"};
      out.ways_out.push_back({"add under line " + std::to_string(node.written->where.line) + ":",
                              "",
                              {RateLimitLine(explanation)}});
      break;
    }
    case End::kNoEntry:
    case End::kTooDeep:
      if (explanation.levels.size() == 1) {
        AdviseAtTop(domain, descriptor, explanation, out);
      } else {
        AdviseOnDepth(policy, descriptor, explanation, out);
      }
      break;
  }
  return out;
}

}  // namespace weir::cli
