#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "weir/config/policy_source.h"
#include "weir/config/yaml_scalar.h"

namespace weir {
namespace {

using Words = std::span<const std::string_view>;

constexpr auto kRootKeys = std::to_array<std::string_view>({"domain", "descriptors", "weir"});
constexpr auto kDescriptorKeys = std::to_array<std::string_view>(
    {"key", "value", "rate_limit", "descriptors", "shadow_mode", "quota_mode", "detailed_metric",
     "value_to_metric", "share_threshold", "metadata", "weir"});
constexpr auto kLimitKeys =
    std::to_array<std::string_view>({"unit", "requests_per_unit", "unlimited", "name", "replaces"});
constexpr auto kReplacesKeys = std::to_array<std::string_view>({"name"});

enum class Level : std::uint8_t { kRoot, kDescriptor, kLimit, kReplaces, kElsewhere };

Words KeysOf(Level level) {
  switch (level) {
    case Level::kRoot:
      return kRootKeys;
    case Level::kDescriptor:
      return kDescriptorKeys;
    case Level::kLimit:
      return kLimitKeys;
    case Level::kReplaces:
      return kReplacesKeys;
    case Level::kElsewhere:
      break;
  }
  return {};
}

std::string_view NameOf(Level level) {
  switch (level) {
    case Level::kRoot:
      return "at the top of a file";
    case Level::kDescriptor:
      return "on a descriptor";
    case Level::kLimit:
      return "inside rate_limit";
    case Level::kReplaces:
      return "inside replaces";
    case Level::kElsewhere:
      break;
  }
  return "here";
}

bool Contains(Words words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array<Level, 4> kLevels = {Level::kRoot, Level::kDescriptor, Level::kLimit,
                                          Level::kReplaces};

bool KnownAnywhere(std::string_view key) {
  return std::any_of(kLevels.begin(), kLevels.end(),
                     [&](Level level) { return Contains(KeysOf(level), key); });
}

Level LevelBelow(Level level, std::string_view key) {
  if (key == "descriptors" && (level == Level::kRoot || level == Level::kDescriptor)) {
    return Level::kDescriptor;
  }
  if (key == "rate_limit" && level == Level::kDescriptor) return Level::kLimit;
  if (key == "replaces" && level == Level::kLimit) return Level::kReplaces;
  return Level::kElsewhere;
}

std::string GoFloat(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return error == std::errc() ? std::string(buffer.data(), end) : std::string();
}

// A value as Go prints it with %v.
std::string GoText(const YamlNode& node) {
  if (node.is_scalar()) {
    const YamlScalar scalar = ResolveScalar(node);
    if (scalar.type == YamlType::kNull) return "<nil>";
    if (const auto* b = std::get_if<bool>(&scalar.value)) return *b ? "true" : "false";
    if (const auto* i = std::get_if<std::int64_t>(&scalar.value)) return std::to_string(*i);
    if (const auto* u = std::get_if<std::uint64_t>(&scalar.value)) return std::to_string(*u);
    if (const auto* d = std::get_if<double>(&scalar.value)) return GoFloat(*d);
    if (const auto* s = std::get_if<std::string>(&scalar.value)) return *s;
    return node.text;
  }
  std::string out = "[";
  for (const YamlNode* item : node.items) out += (out.size() > 1 ? " " : "") + GoText(*item);
  return out + "]";
}

// What YAML takes a scalar for, in words.
std::string_view KindOf(const YamlNode& node) {
  if (node.is_mapping()) return "a mapping";
  if (node.is_sequence()) return "a list";
  switch (ResolveScalar(node).type) {
    case YamlType::kNull:
      return "nothing";
    case YamlType::kBool:
      return "a boolean";
    case YamlType::kInt:
      return "a whole number";
    case YamlType::kFloat:
      return "a number with a fraction";
    case YamlType::kTimestamp:
      return "a date";
    default:
      return "text";
  }
}

class KeyCheck {
 public:
  KeyCheck(bool allow_weir, Findings& findings) : allow_weir_(allow_weir), findings_(findings) {}

  void Mapping(const YamlNode& mapping, Level level) {
    Duplicates(mapping);
    const EffectivePairs pairs(mapping);
    const std::vector<std::size_t> before = EarlierEqual(pairs.view());
    const std::unordered_set<std::size_t> overriding(before.begin(), before.end());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const bool overridden = !before.empty() && overriding.contains(i);
      if (pairs[i].key->is_scalar() && !overridden) Pair(pairs[i], level);
    }
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // For each pair the nearest earlier one with an equal key, kNone if there is none; empty if no
  // two keys are equal.
  static std::vector<std::size_t> EarlierEqual(std::span<const YamlNode::Pair> pairs) {
    if (AllDiffer(pairs)) return {};
    std::vector<std::size_t> out(pairs.size(), kNone);
    std::unordered_map<std::string_view, std::size_t> seen;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const YamlNode& key = *pairs[i].key;
      if (!key.is_scalar() || key.is_merge_key()) continue;
      const auto [at, added] = seen.try_emplace(key.text, i);
      if (!added) out[i] = std::exchange(at->second, i);
    }
    return out;
  }

  // A cheap look for the common case: short mappings without a fault.
  static bool AllDiffer(std::span<const YamlNode::Pair> pairs) {
    constexpr std::size_t kShort = 16;
    if (pairs.size() > kShort) return false;
    for (std::size_t i = 1; i < pairs.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (pairs[i].key->text == pairs[j].key->text) return false;
      }
    }
    return true;
  }

  void Duplicates(const YamlNode& mapping) {
    const std::vector<std::size_t> before = EarlierEqual(mapping.pairs);
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (before[i] == kNone) continue;
      const YamlNode* const key = mapping.pairs[i].key;
      Diagnostic& found =
          findings_.Add("WEIR-P006", Weight::kNativeError, key,
                        "key " + Ticked(key->text) + " is written twice in one mapping");
      found.label = "second";
      found.related.push_back({findings_.file(), mapping.pairs[before[i]].key->span, "first"});
      found.effect = "the last one counts and the others are ignored without a word";
      found.fix = "remove one";
    }
  }

  void Pair(const YamlNode::Pair& pair, Level level) {
    const std::string& key = pair.key->text;
    const bool known = KnownAnywhere(key);
    if (const YamlScalar scalar = known ? YamlScalar{} : ResolveScalar(*pair.key);
        scalar.type != YamlType::kString && scalar.type != YamlType::kTimestamp &&
        scalar.type != YamlType::kOther) {
      Diagnostic& found =
          findings_.Refused("WEIR-P004", pair.key, "key " + Ticked(key) + " is not text",
                            "config error, key is not of type string: " + GoText(*pair.key));
      found.label = "YAML reads this as " + std::string(KindOf(*pair.key));
    } else if (key == "weir" && !allow_weir_) {
      Diagnostic& found =
          findings_.Refused("WEIR-P047", pair.key, "the reference service refuses a `weir` block",
                            "config error, unknown key 'weir'");
      found.fix = "move it below metadata: metadata: {weir: {...}}";
      return;
    } else if (!known) {
      Unknown(*pair.key, level);
    } else if (level != Level::kElsewhere && !Contains(KeysOf(level), key)) {
      WrongLevel(*pair.key, level);
    } else if (pair.value->is_null()) {
      Blank(pair, level);
    }
    if (key == "weir") findings_.NoteNativeBlock();
    if (key == "metadata" || key == "weir") return;
    Value(*pair.value, LevelBelow(level, key));
  }

  void Unknown(const YamlNode& key, Level level) {
    Diagnostic& found = findings_.Refused("WEIR-P003", &key, "unknown key " + Ticked(key.text),
                                          "config error, unknown key '" + key.text + "'");
    std::string_view meant = DidYouMean(key.text, KeysOf(level));
    for (const Level other : kLevels) {
      if (meant.empty()) meant = DidYouMean(key.text, KeysOf(other));
    }
    found.label = "not a key " + std::string(NameOf(level));
    if (!meant.empty()) {
      found.label += "; did you mean `" + std::string(meant) + "`?";
      found.fix = "write `" + std::string(meant) + "`";
    }
    if (level == Level::kDescriptor && meant == "rate_limit") {
      found.effect = "without a limit this descriptor would let everything through";
    } else {
      found.effect = "the setting would be ignored";
    }
  }

  void WrongLevel(const YamlNode& key, Level level) {
    const bool weir = key.text == "weir";
    Diagnostic& found = findings_.Add(
        weir ? "WEIR-P042" : "WEIR-P016", weir ? Weight::kError : Weight::kNativeError, &key,
        "`" + key.text + "` does nothing " + std::string(NameOf(level)));
    for (const Level home : {Level::kDescriptor, Level::kRoot, Level::kLimit, Level::kReplaces}) {
      if (!Contains(KeysOf(home), key.text)) continue;
      found.label = "belongs " + std::string(NameOf(home));
      found.fix = "move it to where it acts: " + std::string(NameOf(home));
      break;
    }
    found.effect = "the reference service ignores it here without a word";
    if (weir) found.effect = "the settings in it would act on nothing";
  }

  void Blank(const YamlNode::Pair& pair, Level level) {
    const std::string& key = pair.key->text;
    // These three have a finding of their own when they are missing.
    const bool required =
        key == "unit" || key == "domain" || (key == "key" && level == Level::kDescriptor);
    if (required || level == Level::kElsewhere) return;
    Diagnostic& found = findings_.Add("WEIR-P017", Weight::kWarning, pair.key,
                                      "`" + key + "` stands here without a value");
    found.label = "blank";
    found.effect = "it counts as absent";
    if (key == "value") found.effect = "a blank value matches every value";
    if (key == "rate_limit") found.effect = "this descriptor has no limit";
    if (key == "requests_per_unit") found.effect = "the limit is 0: everything is denied";
    found.fix = "give it a value or remove the key";
  }

  void Value(const YamlNode& value, Level level) {
    if (value.is_mapping()) {
      Mapping(value, level);
    } else if (value.is_sequence()) {
      for (const YamlNode* item : value.items) {
        if (item->is_mapping()) {
          Mapping(*item, level);
          continue;
        }
        Diagnostic& found = findings_.Refused(
            "WEIR-P005", item, "this list holds mappings only",
            "config error, yaml file contains list of type other than map: " + GoText(*item));
        found.label = "this is " + std::string(KindOf(*item));
        if (level == Level::kReplaces) found.fix = "write {name: " + item->text + "}";
        if (level == Level::kDescriptor) found.fix = "write {key: " + item->text + "}";
      }
    } else {
      Leaf(value);
    }
  }

  void Leaf(const YamlNode& value) {
    const char first = value.text.empty() ? ' ' : value.text[0];
    const bool may_be_number =
        (first >= '0' && first <= '9') || first == '.' || first == '+' || first == '-';
    if (!may_be_number || (value.tag.empty() && !value.implicit)) return;
    const YamlScalar scalar = ResolveScalar(value);
    const bool large = std::holds_alternative<std::uint64_t>(scalar.value);
    if (scalar.type != YamlType::kFloat && !large) return;
    Diagnostic& found = findings_.Refused(
        "WEIR-P005", &value, Ticked(value.text) + " may not stand here", "error checking config");
    found.label = large ? "larger than any whole number" : "YAML reads a number with a fraction";
    found.fix = "for a text write \"" + value.text + "\"; limits are whole numbers";
  }

  const bool allow_weir_;
  Findings& findings_;
};

}  // namespace

void CheckKeys(const YamlNode& root, bool allow_weir, Findings& findings) {
  KeyCheck(allow_weir, findings).Mapping(root, Level::kRoot);
}

}  // namespace weir
