#include "weir/config/metadata_value.h"

#include <algorithm>
#include <string>
#include <utility>

#include "weir/base/utf8.h"
#include "weir/config/yaml_scalar.h"

namespace weir {
namespace {

Value Convert(const YamlNode& node);

Value ConvertScalar(const YamlNode& node) {
  const YamlScalar scalar = ResolveScalar(node);
  if (scalar.type == YamlType::kNull) return {};
  if (const auto* b = std::get_if<bool>(&scalar.value)) return {*b};
  if (const auto* i = std::get_if<std::int64_t>(&scalar.value)) return {static_cast<double>(*i)};
  if (const auto* u = std::get_if<std::uint64_t>(&scalar.value)) return {static_cast<double>(*u)};
  if (const auto* d = std::get_if<double>(&scalar.value)) return {*d};
  if (const auto* s = std::get_if<std::string>(&scalar.value)) return {*s};
  return {node.text};
}

Value ConvertMapping(const YamlNode& node, bool without_weir) {
  Value::Struct members;
  for (const YamlNode::Pair& pair : EffectivePairs(node)) {
    const std::string& name = pair.key->text;
    if (!pair.key->is_scalar() || (without_weir && name == "weir")) continue;
    const auto there = std::find_if(members.begin(), members.end(),
                                    [&](const auto& member) { return member.first == name; });
    if (there == members.end()) {
      members.emplace_back(name, Convert(*pair.value));
    } else {
      there->second = Convert(*pair.value);
    }
  }
  return {std::move(members)};
}

Value Convert(const YamlNode& node) {
  if (node.is_scalar()) return ConvertScalar(node);
  if (node.is_mapping()) return ConvertMapping(node, false);
  Value::List items;
  for (const YamlNode* item : node.items) items.push_back(Convert(*item));
  return {std::move(items)};
}

}  // namespace

const YamlNode* FirstNotUtf8(const YamlNode& node) {
  if (node.is_scalar()) {
    const YamlScalar scalar = ResolveScalar(node);
    const auto* text = std::get_if<std::string>(&scalar.value);
    return text != nullptr && !IsUtf8(*text) ? &node : nullptr;
  }
  for (const YamlNode* item : node.items) {
    if (const YamlNode* found = FirstNotUtf8(*item)) return found;
  }
  if (!node.is_mapping()) return nullptr;
  for (const YamlNode::Pair& pair : EffectivePairs(node)) {
    if (const YamlNode* found = FirstNotUtf8(*pair.key)) return found;
    if (const YamlNode* found = FirstNotUtf8(*pair.value)) return found;
  }
  return nullptr;
}

Value MetadataValue(const YamlNode& node, bool without_weir) {
  return node.is_mapping() ? ConvertMapping(node, without_weir) : Value{};
}

}  // namespace weir
