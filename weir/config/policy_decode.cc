#include <functional>
#include <limits>

#include "weir/config/policy_source.h"
#include "weir/config/yaml_scalar.h"

namespace weir {
namespace {

// ---- what yaml.v2 gives up on, whatever the types ----

class Decodable {
 public:
  explicit Decodable(Findings& findings) : findings_(findings) {}

  bool Check(const YamlNode& root) {
    ++decoded_;
    Visit(root);
    return ok_;
  }

 private:
  void Visit(const YamlNode& node) {
    const bool alias = node.alias_of != nullptr;
    if (alias) Count(node);
    alias_depth_ += alias ? 1 : 0;
    Count(node);
    if (node.is_scalar() && !node.tag.empty()) {
      const YamlScalar scalar = ResolveScalar(node);
      if (!scalar.error.empty())
        Fail(node, scalar.error, "YAML tag and text contradict each other");
    }
    for (const YamlNode* item : node.items) {
      if (ok_) Visit(*item);
    }
    for (const YamlNode::Pair& pair : node.pairs) {
      if (ok_) VisitPair(pair);
    }
    alias_depth_ -= alias ? 1 : 0;
  }

  void VisitPair(const YamlNode::Pair& pair) {
    if (pair.key->is_merge_key()) {
      bool mappings = pair.value->is_mapping() || pair.value->is_sequence();
      for (const YamlNode* item : pair.value->items) mappings = mappings && item->is_mapping();
      if (!mappings) {
        Fail(*pair.value, "map merge requires map or sequence of maps as the value",
             "only mappings can be merged");
      }
    } else {
      Visit(*pair.key);
      if (!pair.key->is_scalar())
        Fail(*pair.key, "invalid map key", "a key may not be a collection");
    }
    if (ok_) Visit(*pair.value);
  }

  // yaml.v2's defence against alias bombs: beyond a size, only so much may come from aliases.
  void Count(const YamlNode& node) {
    constexpr double kLow = 400'000;
    constexpr double kHigh = 4'000'000;
    ++decoded_;
    aliased_ += alias_depth_ > 0 ? 1 : 0;
    if (aliased_ <= 100 || decoded_ <= 1000) return;
    const auto total = static_cast<double>(decoded_);
    const double over = total <= kLow ? 0 : total >= kHigh ? 1 : (total - kLow) / (kHigh - kLow);
    if (static_cast<double>(aliased_) / total > 0.99 - 0.89 * over) {
      Fail(node, "document contains excessive aliasing",
           "nearly everything here comes from aliases");
    }
  }

  void Fail(const YamlNode& node, const std::string& go, std::string message) {
    if (!ok_) return;
    ok_ = false;
    findings_
        .Refused("WEIR-P005", &node, std::move(message), "error loading config file: yaml: " + go)
        .label = go;
  }

  Findings& findings_;
  std::uint64_t decoded_ = 0;
  std::uint64_t aliased_ = 0;
  int alias_depth_ = 0;
  bool ok_ = true;
};

// ---- values of the right type ----

class Decoder {
 public:
  explicit Decoder(Findings& findings) : findings_(findings) {}

  PolicySource Root(const YamlNode& root) {
    PolicySource out;
    Struct(root, "config.YamlRoot", [&](const std::string& name, const YamlNode::Pair& pair) {
      if (name == "domain") Text(pair, out.domain);
      if (name == "descriptors") Descriptors(pair, out.descriptors);
      if (name == "weir") Note(pair, out.weir);
    });
    if (!type_errors_.empty()) {
      findings_.NoteRefusal("error loading config file: yaml: unmarshal errors:" + type_errors_);
    }
    return out;
  }

 private:
  using Setter = std::function<void(const std::string&, const YamlNode::Pair&)>;

  template <typename T>
  static void Note(const YamlNode::Pair& pair, Field<T>& field) {
    field.key = pair.key;
    field.node = pair.value;
  }

  // Whether the node is a mapping; if so each of its pairs goes to `set`.
  bool Struct(const YamlNode& node, std::string_view go_type, const Setter& set) {
    if (!node.is_mapping()) {
      if (node.is_null()) return false;
      TypeError(node, go_type, "a mapping");
      return false;
    }
    for (const YamlNode::Pair& pair : EffectivePairs(node)) {
      if (pair.key->is_scalar()) set(pair.key->text, pair);
    }
    return true;
  }

  void Text(const YamlNode::Pair& pair, Field<std::string>& field) {
    Note(pair, field);
    if (!pair.value->is_scalar()) return TypeError(*pair.value, "string", "text");
    if (pair.value->tag.empty()) {
      field.value = pair.value->is_null() ? std::string() : pair.value->text;
      return;
    }
    const YamlScalar scalar = ResolveScalar(*pair.value);
    const auto* const text = std::get_if<std::string>(&scalar.value);
    field.value = scalar.type == YamlType::kNull ? std::string() : text ? *text : pair.value->text;
  }

  void Boolean(const YamlNode::Pair& pair, Field<bool>& field) {
    Note(pair, field);
    if (pair.value->is_null()) {
      field.value = false;
      return;
    }
    const YamlScalar scalar = pair.value->is_scalar() ? ResolveScalar(*pair.value) : YamlScalar{};
    const auto* const value = std::get_if<bool>(&scalar.value);
    if (value == nullptr) return TypeError(*pair.value, "bool", "true or false");
    field.value = *value;
  }

  void Number(const YamlNode::Pair& pair, Field<std::uint32_t>& field) {
    Note(pair, field);
    if (pair.value->is_null()) {
      field.value = 0;
      return;
    }
    constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
    const YamlScalar scalar = pair.value->is_scalar() ? ResolveScalar(*pair.value) : YamlScalar{};
    const auto* const value = std::get_if<std::int64_t>(&scalar.value);
    if (value != nullptr && *value >= 0 && *value <= kMost) {
      field.value = static_cast<std::uint32_t>(*value);
      return;
    }
    field.refused = true;
    // A fraction was refused by the key check already; yaml.v2 alone would cut it off.
    if (scalar.type == YamlType::kFloat) return;
    TypeError(*pair.value, "uint32", "a whole number from 0 to 4294967295",
              scalar.type == YamlType::kInt ? "WEIR-P014" : "WEIR-P005");
  }

  template <typename T, typename Read>
  void List(const YamlNode::Pair& pair, std::string_view go_type, Field<std::vector<T>>& field,
            const Read& read) {
    Note(pair, field);
    field.value.clear();
    if (pair.value->is_null()) return;
    if (!pair.value->is_sequence()) return TypeError(*pair.value, go_type, "a list");
    for (const YamlNode* item : pair.value->items) {
      T element;
      if (read(*item, element)) field.value.push_back(std::move(element));
    }
  }

  void Descriptors(const YamlNode::Pair& pair, Field<std::vector<DescriptorSource>>& field) {
    List(pair, "[]config.YamlDescriptor", field,
         [this](const YamlNode& item, DescriptorSource& out) { return Descriptor(item, out); });
  }

  bool Descriptor(const YamlNode& node, DescriptorSource& out) {
    out.node = &node;
    return Struct(node, "config.YamlDescriptor",
                  [&](const std::string& name, const YamlNode::Pair& pair) {
                    if (!DescriptorText(name, pair, out) && !DescriptorFlag(name, pair, out)) {
                      out.unknown_keys = true;
                    }
                  });
  }

  bool DescriptorText(const std::string& name, const YamlNode::Pair& pair, DescriptorSource& out) {
    if (name == "key") return Text(pair, out.key), true;
    if (name == "value") return Text(pair, out.value), true;
    if (name == "rate_limit") return Limit(pair, out.rate_limit), true;
    if (name == "descriptors") return Descriptors(pair, out.descriptors), true;
    if (name == "metadata") return Metadata(pair, out.metadata), true;
    if (name == "weir") return Note(pair, out.weir), true;
    return false;
  }

  bool DescriptorFlag(const std::string& name, const YamlNode::Pair& pair, DescriptorSource& out) {
    if (name == "shadow_mode") return Boolean(pair, out.shadow_mode), true;
    if (name == "quota_mode") return Boolean(pair, out.quota_mode), true;
    if (name == "detailed_metric") return Boolean(pair, out.detailed_metric), true;
    if (name == "value_to_metric") return Boolean(pair, out.value_to_metric), true;
    if (name == "share_threshold") return Boolean(pair, out.share_threshold), true;
    return false;
  }

  void Metadata(const YamlNode::Pair& pair, Field<bool>& field) {
    Note(pair, field);
    if (pair.value->is_mapping() || pair.value->is_null()) return;
    TypeError(*pair.value, "map[string]interface {}", "a mapping");
  }

  void Limit(const YamlNode::Pair& pair, Field<std::optional<LimitSource>>& field) {
    Note(pair, field);
    const YamlNode& node = *pair.value;
    if (node.is_null()) {
      // yaml.v2 knows only these spellings before it makes room for a limit; the others leave an
      // empty one.
      const bool early = node.text.empty() || node.text == "~" || node.text == "null" ||
                         node.tag == "tag:yaml.org,2002:null";
      field.value = early ? std::nullopt : std::optional<LimitSource>(LimitSource{});
      return;
    }
    // Of two rate_limit keys the second completes the first, field by field.
    if (!field.value) field.value.emplace();
    LimitSource& out = *field.value;
    Struct(node, "config.YamlRateLimit", [&](const std::string& name, const YamlNode::Pair& inner) {
      if (name == "requests_per_unit") Number(inner, out.requests_per_unit);
      if (name == "unit") Text(inner, out.unit);
      if (name == "unlimited") Boolean(inner, out.unlimited);
      if (name == "name") Text(inner, out.name);
      if (name == "replaces") Replaces(inner, out.replaces);
    });
  }

  void Replaces(const YamlNode::Pair& pair, Field<std::vector<ReplacesSource>>& field) {
    List(pair, "[]config.YamlReplaces", field, [this](const YamlNode& item, ReplacesSource& out) {
      out.node = &item;
      return Struct(item, "config.YamlReplaces",
                    [&](const std::string& name, const YamlNode::Pair& inner) {
                      if (name == "name") Text(inner, out.name);
                    });
    });
  }

  void TypeError(const YamlNode& node, std::string_view go_type, const std::string& wanted,
                 std::string_view code = "WEIR-P005") {
    std::string tag = node.is_mapping() ? "!!map" : "!!seq";
    std::string value;
    if (node.is_scalar()) {
      tag = ResolveScalar(node).tag;
      constexpr std::size_t kShown = 10;
      value = node.text.size() > kShown ? " `" + node.text.substr(0, 7) + "...`"
                                        : " `" + node.text + "`";
    } else if (!node.tag.empty()) {
      tag = node.tag;
    }
    type_errors_ += "\n  line " + std::to_string(node.span.begin.line) + ": cannot unmarshal " +
                    tag + value + " into " + std::string(go_type);
    const std::string shown = node.is_scalar()     ? Ticked(node.text)
                              : node.is_sequence() ? std::string("a list")
                                                   : std::string("a mapping");
    Diagnostic& found =
        findings_.Add(code, Weight::kError, &node, "expected " + wanted + ", found " + shown);
    found.label = "expected " + wanted;
    if (node.is_scalar() && !node.implicit && PlainTypeOf(node.text) != YamlType::kString) {
      found.fix = "remove the quotes: with them this is text";
    }
  }

  Findings& findings_;
  std::string type_errors_;
};

}  // namespace

bool CheckDecodable(const YamlNode* root, Findings& findings) {
  if (root == nullptr) return false;
  if (!Decodable(findings).Check(*root)) return false;
  if (root->is_mapping()) return true;
  if (root->is_null()) return false;
  const bool list = root->is_sequence();
  Diagnostic& found = findings.Refused(
      "WEIR-P005", root, "a policy file is a mapping with `domain` and `descriptors`",
      "error loading config file: yaml: unmarshal errors:\n  line " +
          std::to_string(root->span.begin.line) + ": cannot unmarshal " +
          (list ? "!!seq" : ResolveScalar(*root).tag + " `" + root->text.substr(0, 10) + "`") +
          " into map[interface {}]interface {}");
  found.label = list ? "this is a list" : "this is a single value";
  found.fix = "begin with `domain: NAME`";
  return false;
}

PolicySource DecodePolicy(const YamlNode& root, Findings& findings) {
  return Decoder(findings).Root(root);
}

}  // namespace weir
