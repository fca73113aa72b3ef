#pragma once

#include "weir/config/yaml.h"
#include "weir/core/value.h"

namespace weir {

// A rule's metadata as a protobuf Struct can carry it: numbers become doubles, names their source
// text, of equal names the last one counts.  With `without_weir` a member `weir` at the top is left
// out.  Null for anything but a mapping.
Value MetadataValue(const YamlNode& node, bool without_weir);

// The first text in it, a name or a value, that a protobuf Struct cannot carry because it is not
// UTF-8, which only !!binary can bring about; null if there is none.
const YamlNode* FirstNotUtf8(const YamlNode& node);

}  // namespace weir
