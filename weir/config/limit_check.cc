#include "weir/config/limit_check.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "weir/core/shared_quota.h"

namespace weir {
namespace {

constexpr auto kUnits =
    std::to_array<std::string_view>({"second", "minute", "hour", "day", "week", "month", "year"});

// What people write for units elsewhere.
constexpr auto kOtherSpellings = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"s", "second"}, {"sec", "second"}, {"secs", "second"}, {"seconds", "second"},
     {"m", "minute"}, {"min", "minute"}, {"mins", "minute"}, {"minutes", "minute"},
     {"h", "hour"},   {"hr", "hour"},    {"hrs", "hour"},    {"hours", "hour"},
     {"d", "day"},    {"days", "day"},   {"daily", "day"},   {"w", "week"},
     {"wk", "week"},  {"weeks", "week"}, {"mo", "month"},    {"months", "month"},
     {"y", "year"},   {"yr", "year"},    {"years", "year"},  {"hourly", "hour"}});

std::string_view UnitMeant(std::string_view text) {
  std::string folded;
  for (const char c : text) {
    if (c == ' ' || c == '\t' || c == '.') continue;
    folded += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  for (const auto& [spelling, unit] : kOtherSpellings) {
    if (folded == spelling) return unit;
  }
  return DidYouMean(folded, kUnits);
}

class LimitCheck {
 public:
  LimitCheck(const DescriptorSource& descriptor, const WeirSettings& own,
             const WeirSettings& defaults, const LoadOptions& options, Findings& findings)
      : descriptor_(descriptor),
        limit_(*descriptor.rate_limit.value),
        own_(own),
        defaults_(defaults),
        options_(options),
        findings_(findings) {}

  Rule Read() {
    Rule rule;
    rule.unlimited = limit_.unlimited.value;
    rule.name = limit_.name.value;
    rule.shadow_mode = descriptor_.shadow_mode.value;
    rule.quota_mode = descriptor_.quota_mode.value;
    rule.detailed_metric = descriptor_.detailed_metric.value;
    const std::optional<Unit> unit = CheckUnit();
    CheckReplaces(rule);
    if (!rule.unlimited) {
      CheckZero();
      ReadQuota(unit, rule);
    }
    ReadEnforce(rule);
    return rule;
  }

 private:
  bool native() const { return options_.profile == Profile::kNative; }
  const YamlNode* Or(const YamlNode* node) const {
    return node != nullptr ? node : descriptor_.rate_limit.key;
  }

  std::optional<Unit> CheckUnit() {
    const std::string& text = limit_.unit.value;
    const std::optional<Unit> unit = ParseUnit(text);
    if (limit_.unlimited.value) {
      if (unit) {
        Diagnostic& found = findings_.Refused("WEIR-P013", limit_.unit.key,
                                              "a limit cannot be unlimited and per " + text,
                                              "should not specify rate limit unit when unlimited");
        found.related.push_back({findings_.file(), limit_.unlimited.key->span, "unlimited here"});
        found.label = "a unit here";
        found.fix = "remove one of the two";
      }
      return std::nullopt;
    }
    if (unit) return unit;
    if (text.empty()) {
      MissingUnit();
    } else {
      BadUnit(text);
    }
    return std::nullopt;
  }

  void MissingUnit() {
    const bool blank = limit_.unit.written();
    if (own_.window.key != nullptr && native() && !options_.portable) {
      findings_.NoteRefusal("invalid rate limit unit ''");
      return;
    }
    Diagnostic& found = findings_.Refused(
        "WEIR-P011", blank ? limit_.unit.key : descriptor_.rate_limit.key,
        blank ? "`unit` is blank" : "this limit has no `unit`", "invalid rate limit unit ''");
    found.label = "per what?";
    found.effect = "the reference service refuses the whole configuration";
    found.fix = "add unit: second, minute, hour, day, week, month or year";
  }

  void BadUnit(const std::string& text) {
    Diagnostic& found =
        findings_.Refused("WEIR-P012", limit_.unit.node, Ticked(text) + " is not a time unit",
                          "invalid rate limit unit '" + text + "'");
    const std::string_view meant = UnitMeant(text);
    found.label = meant.empty() ? "not a unit" : "write `" + std::string(meant) + "`";
    if (!meant.empty()) found.fix = "unit: " + std::string(meant);
    found.notes.emplace_back(
        "units: second, minute, hour, day, week, month (30 days), year (365 days)");
  }

  void CheckReplaces(Rule& rule) {
    for (const ReplacesSource& entry : limit_.replaces.value) {
      const std::string& name = entry.name.value;
      if (name.empty()) {
        Diagnostic& found =
            findings_.Refused("WEIR-P019", entry.node, "a `replaces` entry names no rule",
                              "should not have an empty replaces entry");
        found.label = "blank";
        found.fix = "write {name: RULE} or remove the entry";
      } else if (name == rule.name) {
        Diagnostic& found = findings_.Refused(
            "WEIR-P020", entry.name.node, "rule " + Ticked(name) + " replaces itself",
            "replaces should not contain name of same descriptor");
        found.label = "its own name";
        found.effect = "the rule would drop itself whenever it matches";
      } else {
        rule.replaces.push_back(name);
      }
    }
  }

  void CheckZero() {
    const auto& requests = limit_.requests_per_unit;
    if (requests.value != 0 || requests.refused) return;
    const bool explained = own_.reason.value && !own_.reason.value->empty();
    const bool written = requests.written() && !requests.node->is_null();
    if (written && explained) return;
    Diagnostic& found = findings_.Add(
        "WEIR-P015", Weight::kWarning, written ? requests.node : Or(requests.key),
        written ? "a limit of 0 denies every request" : "`requests_per_unit` is missing");
    found.label = written ? "denies everything" : "counts as 0: denies everything";
    found.effect = "every request that matches this rule is denied, without exception";
    found.fix = written ? "if this is meant, say why: weir: {reason: ...}"
                        : "add requests_per_unit, or unlimited: true for no limit";
  }

  void ReadQuota(std::optional<Unit> unit, Rule& rule) {
    QuotaSpec spec;
    spec.limit = limit_.requests_per_unit.value;
    spec.unit = unit.value_or(Unit::kUnknown);
    spec.algorithm = Algorithm::kFixedWindow;
    if (native()) {
      ReadNativeSpec(spec);
    } else {
      spec.calendar = options_.calendar_months && spec.unit == Unit::kMonth;
    }
    // Without a window an error was reported already; the rule still needs some quota.
    if (spec.unit == Unit::kUnknown && spec.window.count() == 0) spec.unit = Unit::kSecond;
    const Result<Quota, std::string> quota = MakeQuota(spec);
    if (quota.ok()) {
      rule.quota = *quota;
      if (options_.shared_store) CheckShared(*quota);
      return;
    }
    findings_.Add("WEIR-P045", Weight::kError, Or(limit_.requests_per_unit.node), quota.error())
        .label = "in this limit";
  }

  void CheckShared(const Quota& quota) {
    const Result<Quota, std::string> shared = SharedQuota(quota);
    if (shared.ok()) return;
    Diagnostic& found = findings_.Add("WEIR-P050", Weight::kError,
                                      Or(limit_.requests_per_unit.node), shared.error());
    found.label = "cannot be counted in a shared store";
    found.effect = "the store would refuse every hit, and the rule's on_store_failure would answer";
  }

  void ReadNativeSpec(QuotaSpec& spec) {
    spec.algorithm =
        own_.algorithm.value.value_or(defaults_.algorithm.value.value_or(Algorithm::kTokenBucket));
    if (own_.window.value) {
      if (limit_.unit.written() && spec.unit != Unit::kUnknown) {
        Diagnostic& found = findings_.Add("WEIR-P037", Weight::kError, own_.window.key,
                                          "a limit has a `unit` or a `window`, not both");
        found.label = "a window here";
        found.related.push_back({findings_.file(), limit_.unit.key->span, "a unit here"});
        found.fix = "remove one of the two";
      } else {
        spec.window = *own_.window.value;
        spec.unit = Unit::kUnknown;
      }
    }
    if (own_.burst.value) {
      if (spec.algorithm == Algorithm::kTokenBucket) {
        spec.burst = *own_.burst.value;
      } else {
        Diagnostic& found =
            findings_.Add("WEIR-P036", Weight::kError, own_.burst.key,
                          "`burst` does nothing with " + std::string(NameOf(spec.algorithm)));
        found.label = "only token_bucket has a burst";
        found.fix = "remove burst, or use algorithm: token_bucket";
      }
    }
    const Setting<bool>& calendar =
        own_.calendar.key != nullptr ? own_.calendar : defaults_.calendar;
    if (!calendar.value.value_or(options_.calendar_months)) return;
    if (spec.unit == Unit::kMonth && spec.algorithm == Algorithm::kFixedWindow) {
      spec.calendar = true;
    } else if (own_.calendar.key != nullptr) {
      Diagnostic& found =
          findings_.Add("WEIR-P037", Weight::kError, own_.calendar.key,
                        "`calendar` goes with unit: month and algorithm: fixed_window only");
      found.label = "does nothing here";
    }
  }

  void ReadEnforce(Rule& rule) {
    const Setting<std::uint32_t>& enforce =
        own_.enforce.key != nullptr ? own_.enforce : defaults_.enforce;
    if (!enforce.value) return;
    rule.enforce_percent = *enforce.value;
    if (!rule.shadow_mode || *enforce.value == 0 || own_.enforce.key == nullptr) return;
    Diagnostic& found = findings_.Add(
        "WEIR-P039", Weight::kError, own_.enforce.key,
        "`shadow_mode: true` and `enforce: " + own_.enforce.node->text + "` contradict each other");
    found.label = "enforced";
    found.related.push_back({findings_.file(), descriptor_.shadow_mode.key->span, "not enforced"});
    found.effect = "shadow_mode wins: the rule never denies";
    found.fix = "remove one of the two";
  }

  const DescriptorSource& descriptor_;
  const LimitSource& limit_;
  const WeirSettings& own_;
  const WeirSettings& defaults_;
  const LoadOptions& options_;
  Findings& findings_;
};

}  // namespace

Rule ReadLimit(const DescriptorSource& descriptor, const WeirSettings& own,
               const WeirSettings& defaults, const LoadOptions& options, Findings& findings) {
  return LimitCheck(descriptor, own, defaults, options, findings).Read();
}

}  // namespace weir
