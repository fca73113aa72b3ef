#include "weir/config/section_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "weir/config/quantity.h"
#include "weir/config/yaml_scalar.h"

namespace weir {
namespace {

bool IsPort(std::string_view text) {
  const auto port = ParseCount(text);
  return port && *port <= 65535 && text.find('_') == std::string_view::npos;
}

bool IsAddress(std::string_view text) {
  if (text.starts_with("unix:")) return text.size() > 5;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || !IsPort(text.substr(colon + 1))) return false;
  const std::string_view host = text.substr(0, colon);
  if (host.starts_with('[')) return host.ends_with(']') && host.size() > 2;
  return host.find(':') == std::string_view::npos && host.find(' ') == std::string_view::npos;
}

}  // namespace

SectionReader::SectionReader(const YamlNode* node, std::string path, Findings& findings)
    : path_(std::move(path)), findings_(findings) {
  if (node == nullptr || node->is_null()) return;
  if (!node->is_mapping()) {
    findings_.Add("WEIR-S011", Weight::kError, node,
                  path_.empty() ? "a settings file is a mapping" : "`" + path_ + "` is a mapping");
    return;
  }
  node_ = node;
  for (const YamlNode::Pair& pair : EffectivePairs(*node)) {
    if (!pair.key->is_scalar()) continue;
    const auto [at, added] = pairs_.insert_or_assign(pair.key->text, pair);
    if (added) continue;
    const YamlNode* first = nullptr;
    for (const YamlNode::Pair& other : node->pairs) {
      if (other.key == pair.key) break;
      if (other.key->text == pair.key->text) first = other.key;
    }
    if (first == nullptr) continue;  // An override of a merged mapping.
    Diagnostic& found = findings_.Add("WEIR-S014", Weight::kError, pair.key,
                                      "`" + PathOf(pair.key->text) + "` is written twice");
    found.label = "second";
    found.related.push_back({findings_.file(), first->span, "first"});
  }
}

std::string SectionReader::PathOf(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

Diagnostic& SectionReader::Wrong(std::string_view code, const YamlNode& at, std::string_view key,
                                 std::string_view problem) {
  return findings_.Add(code, Weight::kError, &at, "`" + PathOf(key) + "` " + std::string(problem));
}

const YamlNode* SectionReader::Find(std::string_view key) {
  known_.push_back(key);
  const auto found = pairs_.find(key);
  if (found == pairs_.end() || found->second.value->is_null()) return nullptr;
  return found->second.value;
}

SectionReader SectionReader::Section(std::string_view key) {
  return SectionReader(Find(key), PathOf(key), findings_);
}

const YamlNode* SectionReader::Scalar(std::string_view key, std::string_view wanted) {
  const YamlNode* const node = Find(key);
  if (node == nullptr || node->is_scalar()) return node;
  Wrong("WEIR-S011", *node, key, "is " + std::string(wanted));
  return nullptr;
}

bool SectionReader::ReadText(std::string_view key, std::string& out) {
  const YamlNode* const node = Scalar(key, "a text");
  if (node == nullptr) return false;
  out = node->text;
  return true;
}

bool SectionReader::ReadBoolean(std::string_view key, bool& out) {
  const YamlNode* const node = Scalar(key, "true or false");
  if (node == nullptr) return false;
  const YamlScalar scalar = ResolveScalar(*node);
  const bool* const value = std::get_if<bool>(&scalar.value);
  if (value == nullptr) {
    Wrong("WEIR-S011", *node, key, "is true or false");
    return false;
  }
  out = *value;
  return true;
}

bool SectionReader::ReadCount(std::string_view key, std::uint64_t& out, std::uint64_t least,
                              std::uint64_t most) {
  const YamlNode* const node = Scalar(key, "a whole number");
  if (node == nullptr) return false;
  const auto value = ParseCount(node->text);
  if (!value) {
    Wrong("WEIR-S012", *node, key, "is a whole number");
    return false;
  }
  if (*value < least || *value > most) {
    Diagnostic& found = Wrong("WEIR-S013", *node, key, "is out of range");
    found.label = "at least " + std::to_string(least);
    if (most != std::numeric_limits<std::uint64_t>::max()) {
      found.label = "from " + std::to_string(least) + " to " + std::to_string(most);
    }
    return false;
  }
  out = *value;
  return true;
}

bool SectionReader::ReadBytes(std::string_view key, std::uint64_t& out, std::uint64_t least) {
  const YamlNode* const node = Scalar(key, "a size");
  if (node == nullptr) return false;
  const auto value = ParseBytes(node->text);
  if (!value || *value < least) {
    Wrong(value ? "WEIR-S013" : "WEIR-S012", *node, key, "is a size such as 64KiB or 16MiB").label =
        value ? "at least " + std::to_string(least) + " bytes" : "not a size";
    return false;
  }
  out = *value;
  return true;
}

bool SectionReader::ReadDuration(std::string_view key, Duration& out, Duration least,
                                 Duration most) {
  const YamlNode* const node = Scalar(key, "a duration");
  if (node == nullptr) return false;
  const auto value = ParseDuration(node->text);
  if (!value) {
    Diagnostic& found = Wrong("WEIR-S012", *node, key, "is a duration such as 250ms, 30s or 1h");
    found.label = "not a duration";
    if (ParseCount(node->text)) found.fix = "write a unit, for example " + node->text + "ms";
    return false;
  }
  if (*value < least || *value > most) {
    Diagnostic& found = Wrong("WEIR-S013", *node, key, "is out of range");
    found.label = "at least " + DurationText(least);
    if (most != Duration::max()) {
      found.label = "from " + DurationText(least) + " to " + DurationText(most);
    }
    return false;
  }
  out = *value;
  return true;
}

bool SectionReader::ReadFraction(std::string_view key, double& out) {
  const YamlNode* const node = Scalar(key, "a number from 0 to 1 or a percentage");
  if (node == nullptr) return false;
  std::string_view text = node->text;
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  double value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (percent) value /= 100;
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value <= 1)) {
    Wrong("WEIR-S012", *node, key, "is a number from 0 to 1 or a percentage");
    return false;
  }
  out = value;
  return true;
}

bool SectionReader::ReadAddress(std::string_view key, std::string& out, bool may_be_off) {
  const YamlNode* const node = Scalar(key, "an address");
  if (node == nullptr) return false;
  if (may_be_off && node->text == "off") {
    out.clear();
    return true;
  }
  if (!IsAddress(node->text)) {
    Diagnostic& found = Wrong("WEIR-S012", *node, key, "is an address");
    found.label = "host:port, :port or unix:PATH";
    if (IsPort(node->text)) found.fix = "write \":" + node->text + "\"";
    return false;
  }
  out = node->text;
  return true;
}

bool SectionReader::ReadChoice(std::string_view key, std::span<const std::string_view> words,
                               std::size_t& out) {
  const YamlNode* const node = Scalar(key, "a word");
  if (node == nullptr) return false;
  const auto found = std::find(words.begin(), words.end(), node->text);
  if (found != words.end()) {
    out = static_cast<std::size_t>(found - words.begin());
    return true;
  }
  std::string list;
  for (const std::string_view word : words) list += (list.empty() ? "" : ", ") + std::string(word);
  Diagnostic& wrong = Wrong("WEIR-S012", *node, key, "is one of " + list);
  const std::string_view meant = DidYouMean(node->text, words);
  if (!meant.empty()) wrong.label = "did you mean `" + std::string(meant) + "`?";
  return false;
}

void SectionReader::Done() {
  for (const auto& [name, pair] : pairs_) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    Diagnostic& found = findings_.Add("WEIR-S010", Weight::kError, pair.key,
                                      "unknown setting `" + PathOf(name) + "`");
    const std::string_view meant = DidYouMean(name, known_);
    if (!meant.empty()) {
      found.label = "did you mean `" + std::string(meant) + "`?";
      found.fix = "write `" + std::string(meant) + "`";
    }
  }
}

}  // namespace weir
