#include "weir/config/policy_lint.h"

#include <algorithm>
#include <string>

#include "weir/config/yaml_scalar.h"
#include "weir/core/pattern.h"

namespace weir {
namespace {

bool HasStar(std::string_view text) {
  return text.find('*') != std::string_view::npos;
}

void ReportHidden(const DescriptorSource& hidden, const DescriptorSource& hider,
                  std::string_view why, Findings& findings) {
  const YamlNode* const at = hidden.value.value.empty() ? hidden.place() : hidden.value.node;
  Diagnostic& found = findings.Add("WEIR-P026", Weight::kWarning, at,
                                   "this descriptor can never match: " + std::string(why));
  found.label = "never reached";
  found.related.push_back({findings.file(), hider.value.node->span, "takes all it would match"});
  found.effect = "its limit, and everything below it, is never used";
  found.fix = "put the more specific pattern first";
  if (hidden.value.value.empty()) found.fix = "remove it, or the pattern that matches everything";
}

}  // namespace

void LintPlainText(const Field<std::string>& field, std::string_view what, Findings& findings) {
  if (field.node == nullptr || !field.node->is_scalar() || !field.node->implicit ||
      !field.node->tag.empty()) {
    return;
  }
  const YamlType type = PlainTypeOf(field.node->text);
  // Fractions are refused elsewhere; nothing at all is a blank.
  const char* read_as = nullptr;
  if (type == YamlType::kBool) read_as = "a boolean";
  if (type == YamlType::kInt) read_as = "a number";
  if (type == YamlType::kTimestamp) read_as = "a date";
  if (read_as == nullptr) return;
  const std::string& text = field.node->text;
  Diagnostic& found = findings.Add("WEIR-P018", Weight::kWarning, field.node,
                                   std::string(what) + " " + Ticked(text) + " should be quoted");
  found.label = std::string("YAML reads this as ") + read_as;
  found.effect = "it is matched as the text " + Ticked(text) + "; other tools may rewrite it";
  found.fix = "write \"" + text + "\"";
}

void LintTexts(const DescriptorSource& d, const LoadOptions& options, Findings& findings) {
  LintPlainText(d.key, "key", findings);
  LintPlainText(d.value, "value", findings);
  const std::string& key = d.key.value;
  if (std::any_of(key.begin(), key.end(), [](char c) { return c >= 'A' && c <= 'Z'; })) {
    std::string lower = key;
    for (char& c : lower) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    Diagnostic& found = findings.Add("WEIR-P028", Weight::kWarning, d.key.node,
                                     "key " + Ticked(key) + " has capital letters");
    found.label = "keys are compared exactly";
    found.effect = "a request that sends `" + lower + "` does not match";
    found.fix = "write `" + lower + "` if that is what Envoy sends";
  }
  if (HasStar(key) && options.profile == Profile::kNative) {
    Diagnostic& found =
        findings.Add("WEIR-P049", Weight::kWarning, d.key.node, "a `*` in a key is no wildcard");
    found.label = "matches a star only";
    found.effect = "under profile: reference it would be a wildcard, by accident of that service";
  }
}

void LintEmptiness(const DescriptorSource& d, bool explained, Findings& findings) {
  if (d.rate_limit.value || !d.descriptors.value.empty() || explained || d.key.value.empty() ||
      d.unknown_keys) {
    return;
  }
  if (d.rate_limit.written() || d.descriptors.written()) return;  // Reported as blank or wrong.
  const bool any = d.value.value.empty();
  Diagnostic& found = findings.Add("WEIR-P027", Weight::kWarning, d.place(),
                                   "this descriptor has neither a limit nor descriptors below it");
  found.label = any ? "lets everything through" : "exempts this value";
  found.effect = any ? "every request with this key passes without being counted"
                     : "requests with this value pass without being counted";
  found.fix = any ? "add a rate_limit or remove it"
                  : "if this is an exemption, say why: weir: {reason: ...}";
}

void LintHidden(const std::vector<DescriptorSource>& list, const LoadOptions& options,
                Findings& findings) {
  const bool reference = options.profile == Profile::kReference;
  std::vector<const DescriptorSource*> patterns;
  for (const DescriptorSource& d : list) {
    if (!HasStar(d.value.value) || d.key.value.empty()) continue;
    for (const DescriptorSource* earlier : patterns) {
      const bool same_key = earlier->key.value == d.key.value;
      if (!reference && !same_key) continue;
      const bool hides = reference ? PatternCovers(earlier->Composite(), d.Composite())
                                   : PatternCovers(earlier->value.value, d.value.value);
      // Equal ones are reported as defined twice.
      if (!hides || (same_key && earlier->value.value == d.value.value)) continue;
      ReportHidden(d, *earlier, "an earlier wildcard takes all of it", findings);
      break;
    }
    if (patterns.size() < kMostPatternsCompared) patterns.push_back(&d);
  }
  for (const DescriptorSource& d : list) {
    if (!d.value.value.empty()) continue;
    for (const DescriptorSource* pattern : patterns) {
      const bool everything = pattern->value.value.find_first_not_of('*') == std::string::npos;
      if (!everything || pattern->key.value != d.key.value) continue;
      ReportHidden(d, *pattern, "a wildcard beside it takes every value", findings);
      break;
    }
  }
}

}  // namespace weir
