#include "weir/core/value.h"

#include <algorithm>

namespace weir {

bool Value::operator==(const Value& other) const {
  return held == other.held;
}

void MergeMissing(Value::Struct& into, const Value::Struct& from) {
  for (const auto& [name, value] : from) {
    const auto there = std::find_if(into.begin(), into.end(),
                                    [&name = name](const auto& m) { return m.first == name; });
    if (there == into.end()) {
      into.emplace_back(name, value);
    } else if (Value::Struct* const inner = there->second.as_struct()) {
      if (const Value::Struct* const more = value.as_struct()) MergeMissing(*inner, *more);
    }
  }
}

}  // namespace weir
