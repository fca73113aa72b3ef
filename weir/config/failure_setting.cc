#include "weir/config/failure_setting.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "weir/config/quantity.h"
#include "weir/config/yaml_scalar.h"

namespace weir {
namespace {

constexpr auto kWords =
    std::to_array<std::string_view>({"open", "closed", "local_share", "static"});
constexpr auto kKeys = std::to_array<std::string_view>(
    {"mode", "split", "learned_weight", "causes", "then", "strict_share", "cold"});
constexpr auto kRungKeys = std::to_array<std::string_view>({"after", "mode"});
constexpr auto kCauseWords = std::to_array<std::string_view>(
    {"timeout", "refused", "reset", "readonly", "loading", "cluster_down", "moved", "oom", "auth",
     "script", "protocol", "queue_full", "breaker_open"});
constexpr std::string_view kTheFourWords =
    "open admits everything (no protection), closed denies with 503 (an outage of the store is an "
    "outage of the route), local_share enforces each instance's part of the limit (strict on "
    "uneven traffic), static keeps holding whom the store caught last (nobody new is caught)";

class Reader {
 public:
  Reader(const LoadOptions& options, Findings& findings) : options_(options), findings_(findings) {}

  std::optional<FailurePolicy> Read(const YamlNode& node) {
    FailurePolicy out;
    if (node.is_scalar()) {
      const auto mode = Mode(node);
      if (!mode) return std::nullopt;
      out.mode = *mode;
      return out;
    }
    if (!node.is_mapping()) {
      Wrong(node, "on_store_failure is a word or a mapping");
      return std::nullopt;
    }
    bool has_mode = false;
    for (const YamlNode::Pair& pair : EffectivePairs(node)) {
      if (pair.key->text == "mode") {
        const auto mode = Mode(*pair.value);
        has_mode = true;
        if (mode) out.mode = *mode;
      } else {
        Part(pair, out);
      }
    }
    if (!has_mode) Wrong(node, "on_store_failure needs a `mode`");
    Contradictions(node, out);
    return out;
  }

 private:
  Diagnostic& Wrong(const YamlNode& node, std::string message) {
    return findings_.Add("WEIR-P031", Weight::kError, &node, std::move(message));
  }

  std::optional<FailureMode> Mode(const YamlNode& node) {
    const auto mode = node.is_scalar() ? ParseFailureMode(node.text) : std::nullopt;
    if (mode && (*mode != FailureMode::kError || options_.profile == Profile::kReference)) {
      return mode;
    }
    if (mode) {
      Wrong(node, "`error` exists under profile: reference only").notes.emplace_back(kTheFourWords);
      return std::nullopt;
    }
    const std::string shown = node.is_scalar() ? Ticked(node.text) : "this";
    Diagnostic& found = Wrong(node, shown + " is not a way to fail");
    const std::string_view meant = node.text == "share"   ? "local_share"
                                   : node.text == "allow" ? "open"
                                   : node.text == "deny"  ? "closed"
                                                          : DidYouMean(node.text, kWords);
    found.label = "one of open, closed, local_share, static";
    if (!meant.empty()) found.label = "did you mean `" + std::string(meant) + "`?";
    found.notes.emplace_back(kTheFourWords);
    return std::nullopt;
  }

  void Part(const YamlNode::Pair& pair, FailurePolicy& out) {
    const std::string& key = pair.key->text;
    const YamlNode& value = *pair.value;
    if (key == "split") {
      if (value.text == "learned") out.split = ShareSplit::kLearned;
      if (value.text != "learned" && value.text != "even") Wrong(value, "split is even or learned");
    } else if (key == "learned_weight") {
      double weight = -1;
      const char* const end = value.text.data() + value.text.size();
      const bool whole = std::from_chars(value.text.data(), end, weight).ptr == end;
      if (!whole || !(weight >= 0 && weight <= 1)) {
        Wrong(value, "learned_weight is a number from 0 to 1");
      } else {
        out.learned_weight = weight;
      }
    } else if (key == "strict_share") {
      const YamlScalar scalar = value.is_scalar() ? ResolveScalar(value) : YamlScalar{};
      if (const bool* const b = std::get_if<bool>(&scalar.value)) {
        out.strict_share = *b;
      } else {
        Wrong(value, "strict_share is true or false");
      }
    } else if (key == "cold") {
      const auto mode = Mode(value);
      if (mode == FailureMode::kStatic || mode == FailureMode::kError) {
        Wrong(value, "cold is open, closed or local_share");
      } else {
        out.cold = mode;
      }
    } else if (key == "causes") {
      Causes(value, out);
    } else if (key == "then") {
      Ladder(value, out);
    } else {
      Unknown(*pair.key, kKeys, "a part of on_store_failure");
    }
  }

  void Unknown(const YamlNode& key, std::span<const std::string_view> known,
               std::string_view what) {
    Diagnostic& found = findings_.Add("WEIR-P003", Weight::kError, &key,
                                      Ticked(key.text) + " is not " + std::string(what));
    const std::string_view meant = DidYouMean(key.text, known);
    if (!meant.empty()) found.label = "did you mean `" + std::string(meant) + "`?";
  }

  void Causes(const YamlNode& node, FailurePolicy& out) {
    if (!node.is_mapping()) {
      Wrong(node, "causes is a mapping from a cause to a mode");
      return;
    }
    for (const YamlNode::Pair& pair : EffectivePairs(node)) {
      const auto cause = ParseCause(pair.key->text);
      if (!cause) {
        Unknown(*pair.key, kCauseWords, "a cause");
        continue;
      }
      out.causes.at(static_cast<std::size_t>(*cause)) = Mode(*pair.value);
    }
  }

  void Ladder(const YamlNode& node, FailurePolicy& out) {
    if (!node.is_sequence()) {
      Wrong(node, "then is a list of {after, mode}");
      return;
    }
    for (const YamlNode* rung : node.items) {
      if (rung->is_mapping()) {
        Rung(*rung, out);
      } else {
        Wrong(*rung, "a rung is {after: 10m, mode: closed}");
      }
    }
  }

  void Rung(const YamlNode& node, FailurePolicy& out) {
    std::optional<Duration> after;
    std::optional<FailureMode> mode;
    for (const YamlNode::Pair& pair : EffectivePairs(node)) {
      if (pair.key->text == "after") {
        after = ParseDuration(pair.value->text);
        if (!after || after->count() == 0) {
          Wrong(*pair.value, "after is a duration above zero, such as 30s or 10m");
          return;
        }
      } else if (pair.key->text == "mode") {
        mode = Mode(*pair.value);
        if (!mode) return;
      } else {
        Unknown(*pair.key, kRungKeys, "a part of a rung");
      }
    }
    if (!after || !mode) {
      Wrong(node, "a rung needs both `after` and `mode`");
      return;
    }
    if (!out.then.empty() && out.then.back().after >= *after) {
      findings_
          .Add("WEIR-P032", Weight::kError, &node, "rungs must come in rising order of `after`")
          .label = "not later than the rung before it";
      return;
    }
    out.then.push_back({*after, *mode});
  }

  void Contradictions(const YamlNode& node, const FailurePolicy& policy) {
    const bool is_static = UsesMode(policy, FailureMode::kStatic);
    const bool shares = is_static || UsesMode(policy, FailureMode::kLocalShare);
    const auto pointless = [&](const char* key, const char* needs) {
      if (node.Find(key) == nullptr) return;
      for (const YamlNode::Pair& pair : node.pairs) {
        if (pair.key->text != key) continue;
        Diagnostic& found =
            findings_.Add("WEIR-P032", Weight::kError, pair.key,
                          "`" + std::string(key) + "` can never act without " + needs);
        found.label = "no mode or rung here is " + std::string(needs);
        return;
      }
    };
    if (!is_static) pointless("cold", "static");
    if (!shares) {
      pointless("split", "local_share");
      pointless("strict_share", "local_share");
    }
    if (policy.split != ShareSplit::kLearned) pointless("learned_weight", "split: learned");
  }

  const LoadOptions& options_;
  Findings& findings_;
};

}  // namespace

std::optional<FailurePolicy> ReadFailurePolicy(const YamlNode& node, const LoadOptions& options,
                                               Findings& findings) {
  return Reader(options, findings).Read(node);
}

bool UsesMode(const FailurePolicy& policy, FailureMode mode) {
  return policy.mode == mode || policy.cold == mode ||
         std::find(policy.causes.begin(), policy.causes.end(), mode) != policy.causes.end() ||
         std::any_of(policy.then.begin(), policy.then.end(),
                     [mode](const FailureRung& rung) { return rung.mode == mode; });
}

}  // namespace weir
