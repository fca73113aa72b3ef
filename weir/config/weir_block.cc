#include "weir/config/weir_block.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "weir/config/failure_setting.h"
#include "weir/config/quantity.h"
#include "weir/config/yaml_scalar.h"

namespace weir {
namespace {

constexpr auto kKeys = std::to_array<std::string_view>(
    {"algorithm", "window", "burst", "calendar", "enforce", "on_store_failure", "owner", "reason",
     "security", "review_by", "shard_by"});
constexpr auto kAnnotations =
    std::to_array<std::string_view>({"owner", "reason", "security", "review_by"});
// These depend on one rule's limit and would be nonsense for all of a domain's.
constexpr auto kNotForDomains = std::to_array<std::string_view>({"window", "burst", "reason"});
constexpr auto kAlgorithms =
    std::to_array<std::string_view>({"token_bucket", "fixed_window", "sliding_window"});

template <std::size_t N>
bool Contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class BlockReader {
 public:
  BlockReader(WeirPlace place, const LoadOptions& options, Findings& findings)
      : place_(place), options_(options), findings_(findings) {}

  WeirSettings Read(const YamlNode& node) {
    if (node.is_null()) return {};
    if (!node.is_mapping()) {
      Wrong("WEIR-P042", node, "a weir block is a mapping of settings");
      return {};
    }
    std::set<std::string_view> seen;
    for (const YamlNode::Pair& pair : node.pairs) {
      if (pair.key->is_merge_key() || seen.insert(pair.key->text).second) continue;
      Wrong("WEIR-P006", *pair.key, "key " + Ticked(pair.key->text) + " is written twice");
    }
    for (const YamlNode::Pair& pair : EffectivePairs(node)) {
      if (pair.key->is_scalar()) One(pair);
    }
    return std::move(out_);
  }

 private:
  Diagnostic& Wrong(std::string_view code, const YamlNode& node, std::string message) {
    return findings_.Add(code, Weight::kError, &node, std::move(message));
  }

  void One(const YamlNode::Pair& pair) {
    const std::string& key = pair.key->text;
    if (!Contains(kKeys, key)) return Unknown(*pair.key);
    if (!MayStandHere(*pair.key)) return;
    if (pair.value->is_null()) {
      findings_.Add("WEIR-P017", Weight::kWarning, pair.key, "`" + key + "` has no value").label =
          "blank";
      return;
    }
    if (key == "algorithm") ReadAlgorithm(pair);
    if (key == "window") ReadWindow(pair);
    if (key == "burst") ReadBurst(pair);
    if (key == "enforce") ReadEnforce(pair);
    if (key == "calendar") ReadBoolean(pair, out_.calendar);
    if (key == "security") ReadBoolean(pair, out_.security);
    if (key == "owner") ReadText(pair, out_.owner);
    if (key == "reason") ReadText(pair, out_.reason);
    if (key == "shard_by") ReadText(pair, out_.shard_by);
    if (key == "review_by") ReadReviewDate(pair);
    if (key == "on_store_failure") {
      Note(pair, out_.on_store_failure).value = ReadFailurePolicy(*pair.value, options_, findings_);
    }
  }

  void Unknown(const YamlNode& key) {
    Diagnostic& found =
        Wrong("WEIR-P003", key, "unknown key " + Ticked(key.text) + " in a weir block");
    const std::string_view meant = DidYouMean(key.text, kKeys);
    if (!meant.empty()) {
      found.label = "did you mean `" + std::string(meant) + "`?";
      found.fix = "write `" + std::string(meant) + "`";
    }
  }

  bool MayStandHere(const YamlNode& key) {
    if (place_ == WeirPlace::kDomain && Contains(kNotForDomains, key.text)) {
      Wrong("WEIR-P042", key, "`" + key.text + "` cannot be a default of a domain").label =
          "belongs on a descriptor";
      return false;
    }
    if (options_.profile == Profile::kNative || key.text == "on_store_failure" ||
        Contains(kAnnotations, key.text)) {
      return true;
    }
    // Below metadata the file loads in the reference service, which ignores it; so do we.
    const bool portable = place_ == WeirPlace::kMetadata;
    Diagnostic& found =
        findings_.Add("WEIR-P043", portable ? Weight::kWarning : Weight::kError, &key,
                      "`" + key.text + "` has no meaning under profile: reference");
    found.label = "only on_store_failure and annotations may stand here";
    found.effect = "the reference service counts in fixed windows and enforces for every key";
    found.fix = "use profile: native, or remove it";
    return false;
  }

  template <typename T>
  static Setting<T>& Note(const YamlNode::Pair& pair, Setting<T>& setting) {
    setting.key = pair.key;
    setting.node = pair.value;
    return setting;
  }

  void ReadText(const YamlNode::Pair& pair, Setting<std::string>& setting) {
    Note(pair, setting);
    if (!pair.value->is_scalar()) {
      Wrong("WEIR-P005", *pair.value, "`" + pair.key->text + "` is a text");
      return;
    }
    setting.value = pair.value->text;
  }

  void ReadBoolean(const YamlNode::Pair& pair, Setting<bool>& setting) {
    Note(pair, setting);
    const YamlScalar scalar = pair.value->is_scalar() ? ResolveScalar(*pair.value) : YamlScalar{};
    if (const bool* const value = std::get_if<bool>(&scalar.value)) {
      setting.value = *value;
    } else {
      Wrong("WEIR-P005", *pair.value, "`" + pair.key->text + "` is true or false");
    }
  }

  void ReadAlgorithm(const YamlNode::Pair& pair) {
    Note(pair, out_.algorithm);
    for (const Algorithm a :
         {Algorithm::kTokenBucket, Algorithm::kFixedWindow, Algorithm::kSlidingWindow}) {
      if (pair.value->text == NameOf(a)) out_.algorithm.value = a;
    }
    if (out_.algorithm.value) return;
    Diagnostic& found =
        Wrong("WEIR-P035", *pair.value, Ticked(pair.value->text) + " is not an algorithm");
    const std::string_view meant =
        pair.value->text == "gcra" ? "token_bucket" : DidYouMean(pair.value->text, kAlgorithms);
    found.label = "token_bucket, fixed_window or sliding_window";
    if (!meant.empty()) found.label = "did you mean `" + std::string(meant) + "`?";
  }

  void ReadWindow(const YamlNode::Pair& pair) {
    Note(pair, out_.window).value = ParseDuration(pair.value->text);
    const auto& value = out_.window.value;
    if (value && *value >= kShortestWindow && *value <= kLongestWindow) return;
    out_.window.value.reset();
    Diagnostic& found =
        Wrong("WEIR-P037", *pair.value, Ticked(pair.value->text) + " is not a window");
    found.label = value ? "from 1ms to 366 days" : "a duration such as 10s, 500ms or 1h";
    if (ParseCount(pair.value->text)) found.fix = "write a unit: " + pair.value->text + "s";
  }

  void ReadBurst(const YamlNode::Pair& pair) {
    Note(pair, out_.burst).value = ParseCount(pair.value->text);
    const auto& value = out_.burst.value;
    if (value && *value >= 1 && *value <= kLargestLimit) return;
    Diagnostic& found = Wrong("WEIR-P046", *pair.value, "`burst` is a whole number of at least 1");
    found.label = Ticked(pair.value->text) + " is not";
    if (value && *value == 0) {
      found.effect = "a bucket of size 0 could never let anything through";
      found.fix = "leave burst out: it is then as large as the limit";
    }
    out_.burst.value.reset();
  }

  void ReadEnforce(const YamlNode::Pair& pair) {
    Note(pair, out_.enforce).value = ParsePercent(pair.value->text);
    if (out_.enforce.value) return;
    Wrong("WEIR-P038", *pair.value, Ticked(pair.value->text) + " is not a percentage of keys")
        .label = "a whole percentage from 0% to 100%";
  }

  void ReadReviewDate(const YamlNode::Pair& pair) {
    ReadText(pair, out_.review_by);
    if (!out_.review_by.value) return;
    const std::string& date = *out_.review_by.value;
    if (!IsDate(date)) {
      Wrong("WEIR-P041", *pair.value, Ticked(date) + " is not a date").label = "YYYY-MM-DD";
      out_.review_by.value.reset();
      return;
    }
    if (options_.today.empty() || date >= options_.today) return;
    Diagnostic& found = findings_.Add("WEIR-P040", Weight::kWarning, pair.value,
                                      "this rule was to be reviewed by " + date);
    found.label = "past";
    found.effect = "the rule still acts, but nobody has confirmed that it should";
    found.fix = "move the date, or remove the rule";
  }

  WeirPlace place_;
  const LoadOptions& options_;
  Findings& findings_;
  WeirSettings out_;
};

}  // namespace

WeirSettings ReadWeirBlock(const YamlNode& node, WeirPlace place, const LoadOptions& options,
                           Findings& findings) {
  return BlockReader(place, options, findings).Read(node);
}

}  // namespace weir
