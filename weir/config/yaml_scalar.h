#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "weir/config/yaml.h"

namespace weir {

// What a scalar means to Go's yaml.v2, the parser of the reference service: YAML 1.1 with its
// yes/no/on/off, octal and hexadecimal integers and digit groups, without its base 60.
enum class YamlType : std::uint8_t { kNull, kBool, kInt, kFloat, kString, kTimestamp, kOther };

struct YamlScalar {
  YamlType type = YamlType::kString;
  // kBool: bool.  kInt: int64_t, or uint64_t for those beyond it.  kFloat: double.
  // kString: the text, decoded if it was !!binary.  kTimestamp, kOther (a tag of its own): nothing.
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string> value;
  std::string tag;    // In short: "!!int", "!!str", "!mine".
  std::string error;  // Text and tag contradict each other: yaml.v2's words; else empty.
};

YamlScalar ResolveScalar(const YamlNode& scalar);

// The type that the text would have if it stood plain.
YamlType PlainTypeOf(std::string_view text);

}  // namespace weir
