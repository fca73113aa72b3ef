#include "cli/explain_text.h"

#include <algorithm>
#include <vector>

#include "cli/explain_advice.h"
#include "cli/quota_text.h"
#include "weir/config/source.h"

namespace weir::cli {
namespace {

using End = Explanation::End;

constexpr std::size_t kMostKnown = 8;

// A line of the tree.
struct Row {
  std::string node;
  std::string match;
  std::string place;
  std::string detail;
  bool applies = false;
};

std::string PlaceOf(const Policy::Node& node) {
  if (node.written == nullptr || node.written->where.line == 0) return {};
  return node.written->where.file + ":" + std::to_string(node.written->where.line);
}

std::string_view TextOf(MatchKind kind) {
  switch (kind) {
    case MatchKind::kExact:
      return "matched exactly";
    case MatchKind::kPattern:
      return "matched by pattern";
    case MatchKind::kAnyValue:
      return "matched any value";
  }
  return {};
}

std::string_view TextOf(PassedOver why) {
  switch (why) {
    case PassedOver::kOtherValue:
      return "passed over: another value";
    case PassedOver::kNoPatternFit:
      return "passed over: pattern does not fit";
    case PassedOver::kLessSpecific:
      return "passed over: less specific";
    case PassedOver::kLaterPattern:
      return "passed over: later in the file";
  }
  return {};
}

std::string Known(const Policy& policy, const ExplainedLevel& level) {
  std::vector<std::string> names;
  for (const ExplainedLevel::Other& other : level.others) {
    names.push_back(NodeText(policy.node(other.node)));
  }
  for (const std::string& key : level.known_keys) {
    if (level.others.empty() || key != level.key) names.push_back(key);
  }
  if (names.empty()) return {};
  std::string out = "known here: ";
  for (std::size_t i = 0; i < std::min(names.size(), kMostKnown); ++i) {
    out += (i == 0 ? "" : ", ") + names[i];
  }
  const std::size_t more = names.size() - std::min(names.size(), kMostKnown) + level.more_others;
  return more == 0 ? out : out + " and " + std::to_string(more) + " more";
}

void AddLevel(const Policy& policy, const Explanation& explanation, std::size_t number,
              std::vector<Row>& rows) {
  const ExplainedLevel& level = explanation.levels[number];
  const bool last = number + 1 == explanation.levels.size();
  std::string indent;
  for (std::size_t i = 0; i < number; ++i) indent += "   ";
  if (level.taken == Policy::kNone) {
    const bool nothing = level.known_keys.empty() && level.others.empty();
    rows.push_back({indent + "└─ " + level.key + "=" + level.value,
                    nothing ? "nothing below" : "no rule", Known(policy, level), "", false});
    return;
  }
  for (const ExplainedLevel::Other& other : level.others) {
    const Policy::Node& node = policy.node(other.node);
    rows.push_back({indent + "├─ " + NodeText(node), std::string(TextOf(other.why)), PlaceOf(node),
                    node.rule == nullptr ? "" : LimitText(*node.rule), false});
  }
  if (level.more_others != 0) {
    rows.push_back({indent + "├─ ...", std::to_string(level.more_others) + " more passed over", "",
                    "", false});
  }
  const Policy::Node& node = policy.node(level.taken);
  std::string detail = node.rule == nullptr ? (last ? "no limit" : "") : LimitText(*node.rule);
  if (node.rule != nullptr && node.rule != explanation.rule) detail += ", not used: deeper";
  rows.push_back({indent + "└─ " + NodeText(node), std::string(TextOf(level.kind)), PlaceOf(node),
                  std::move(detail), node.rule != nullptr && node.rule == explanation.rule});
}

void Pad(std::string& out, std::string_view text, std::size_t width) {
  out += text;
  out.append(width - std::min<std::size_t>(width, CountCharacters(text)), ' ');
}

std::string Tree(std::string_view domain, const std::vector<Row>& rows, bool color) {
  std::size_t nodes = 0;
  std::size_t matches = 0;
  std::size_t places = 0;
  for (const Row& row : rows) {
    nodes = std::max<std::size_t>(nodes, CountCharacters(row.node));
    matches = std::max<std::size_t>(matches, CountCharacters(row.match));
    // What has nothing beside it may run on.
    if (!row.detail.empty()) places = std::max<std::size_t>(places, CountCharacters(row.place));
  }
  std::string out = std::string(domain) + "\n";
  for (const Row& row : rows) {
    std::string line;
    Pad(line, row.node, nodes + 2);
    Pad(line, row.match, matches + 2);
    Pad(line, row.place, places + 2);
    line += row.detail;
    line.erase(line.find_last_not_of(' ') + 1);
    out += color && row.applies ? "\x1b[32m" + line + "\x1b[0m\n" : line + "\n";
  }
  return out;
}

std::string HowEnforced(const Rule& rule) {
  if (rule.shadow_mode) return "counted, but nobody is denied (shadow_mode)";
  if (rule.quota_mode) return "denies only together with every other quota_mode rule of a request";
  if (rule.enforce_percent < 100) {
    return "enforced for " + std::to_string(rule.enforce_percent) + "% of the keys";
  }
  return {};
}

// Whose requests share a counter.
std::string CounterText(const Policy& policy, const Explanation& explanation) {
  std::string open;
  for (const ExplainedLevel& level : explanation.levels) {
    const Policy::Node& node = policy.node(level.taken);
    if (node.open) open += (open.empty() ? "" : ", ") + std::string(node.key);
  }
  return open.empty() ? "one, shared by every request that gets here"
                      : "one for each value of " + open;
}

using Lines = std::vector<std::pair<std::string, std::string>>;  // Heading, text.

void DescribeRule(const Policy& policy, const Explanation& explanation, Lines& out) {
  const Rule& rule = *explanation.rule;
  if (rule.unlimited) {
    out.emplace_back("Answer", "rule " + rule.label() + ": unlimited, allowed and not counted");
    return;
  }
  out.emplace_back("Answer", "rule " + rule.label() + " applies: " + QuotaText(rule.quota) + ", " +
                                 std::string(weir::NameOf(rule.quota.algorithm)));
  if (rule.quota.limit == 0) out.emplace_back("", "it denies every request");
  if (std::string how = HowEnforced(rule); !how.empty()) out.emplace_back("", std::move(how));
  out.emplace_back("Counter", CounterText(policy, explanation));
  if (rule.on_store_failure) {
    out.emplace_back("Outage", std::string(weir::NameOf(rule.on_store_failure->mode)));
  }
  if (!rule.replaces.empty()) {
    std::string names;
    for (const std::string& name : rule.replaces) names += (names.empty() ? "" : ", ") + name;
    out.emplace_back("Replaces", names + ", where the same request meets them, too");
  }
  std::string owner = rule.annotations.owner;
  if (!rule.annotations.reason.empty()) {
    owner += (owner.empty() ? "" : ": ") + rule.annotations.reason;
  }
  if (!owner.empty()) out.emplace_back("Owner", std::move(owner));
}

void DescribeAdvice(const Advice& advice, Lines& out) {
  out.emplace_back("Answer", "no rule: allowed and not counted");
  for (std::size_t i = 0; i < advice.why.size(); ++i) {
    out.emplace_back(i == 0 ? "Why" : "", advice.why[i]);
  }
  const bool choice = advice.ways_out.size() > 1;
  for (std::size_t i = 0; i < advice.ways_out.size(); ++i) {
    const Advice::WayOut& way = advice.ways_out[i];
    const std::string text = way.text + (way.note.empty() ? "" : "      " + way.note);
    const std::string heading = !choice ? "Perhaps" : i == 0 ? "Either" : "or";
    if (way.yaml.empty()) out.emplace_back(heading, text);
    const std::string beside(CountCharacters(text) + 2, ' ');
    for (std::size_t line = 0; line < way.yaml.size(); ++line) {
      out.emplace_back(line == 0 ? heading : "",
                       (line == 0 ? text + "  " : beside) + way.yaml[line]);
    }
  }
}

}  // namespace

std::string_view NameOf(Explanation::End end) {
  switch (end) {
    case End::kRule:
      return "rule";
    case End::kUnlimited:
      return "unlimited";
    case End::kNoDomain:
      return "no_domain";
    case End::kNoEntry:
      return "no_entry";
    case End::kTooDeep:
      return "too_deep";
    case End::kTooShallow:
      return "too_shallow";
    case End::kEmpty:
      return "empty";
  }
  return {};
}

std::string ExplainText(const Policy& policy, std::string_view domain, const Descriptor& descriptor,
                        const Explanation& explanation, const ExplainStyle& style) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < explanation.levels.size(); ++i) {
    AddLevel(policy, explanation, i, rows);
  }
  Lines lines;
  if (explanation.rule != nullptr) {
    DescribeRule(policy, explanation, lines);
  } else {
    DescribeAdvice(AdviceFor(policy, domain, descriptor, explanation), lines);
  }
  std::string out = Tree(domain, rows, style.color) + "\n";
  for (const auto& [heading, text] : lines) {
    if (style.color && !heading.empty()) out += "\x1b[1m";
    std::string head;
    Pad(head, heading, 9);
    out += head;
    if (style.color && !heading.empty()) out += "\x1b[0m";
    out += text + "\n";
  }
  return out;
}

}  // namespace weir::cli
