#include "rls/struct_reader.h"

#include <algorithm>

#include "rls/wire_reader.h"

namespace weir::rls {
namespace {

void ReadMembers(protozero::pbf_reader message, Value::Struct& members, int depth);

void ReadList(protozero::pbf_reader message, Value::List& list, int depth);

// The container of kind `Kind` in `value`: messages of one kind that repeat are merged.
template <typename Kind>
Kind& Held(Value& value) {
  if (auto* const held = std::get_if<Kind>(&value.held)) return *held;
  return value.held.emplace<Kind>();
}

void ReadValue(protozero::pbf_reader message, Value& value, int depth) {
  if (depth > kDeepestValue) throw wire::Refused{Decoding::kTooMany};
  while (wire::Next(message)) {
    switch (message.tag_and_type()) {
      case wire::AsVarint(value_field::kNull):
        message.skip();
        value.held.emplace<std::monostate>();
        break;
      case wire::AsFixed64(value_field::kNumber):
        value.held = message.get_double();
        break;
      case wire::AsBytes(value_field::kString):
        value.held = std::string(wire::Text(message));
        break;
      case wire::AsVarint(value_field::kBool):
        value.held = message.get_uint64() != 0;
        break;
      case wire::AsBytes(value_field::kStruct):
        ReadMembers(message.get_message(), Held<Value::Struct>(value), depth + 1);
        break;
      case wire::AsBytes(value_field::kList):
        ReadList(message.get_message(), Held<Value::List>(value), depth + 1);
        break;
      default:
        message.skip();
    }
  }
}

void ReadList(protozero::pbf_reader message, Value::List& list, int depth) {
  while (wire::Next(message)) {
    if (message.tag_and_type() == wire::AsBytes(value_field::kListValues)) {
      ReadValue(message.get_message(), list.emplace_back(), depth);
    } else {
      message.skip();
    }
  }
}

void ReadMember(protozero::pbf_reader message, Value::Struct& members, int depth) {
  std::string_view key;
  Value value;
  while (wire::Next(message)) {
    switch (message.tag_and_type()) {
      case wire::AsBytes(struct_field::kEntryKey):
        key = wire::Text(message);
        break;
      case wire::AsBytes(struct_field::kEntryValue):
        ReadValue(message.get_message(), value, depth);
        break;
      default:
        message.skip();
    }
  }
  const auto known = std::find_if(members.begin(), members.end(),
                                  [&](const auto& member) { return member.first == key; });
  if (known != members.end()) {
    known->second = std::move(value);
    return;
  }
  if (members.size() == kMostMembers) throw wire::Refused{Decoding::kTooMany};
  members.emplace_back(std::string(key), std::move(value));
}

void ReadMembers(protozero::pbf_reader message, Value::Struct& members, int depth) {
  while (wire::Next(message)) {
    if (message.tag_and_type() == wire::AsBytes(struct_field::kFields)) {
      ReadMember(message.get_message(), members, depth);
    } else {
      message.skip();
    }
  }
}

}  // namespace

void ReadStruct(protozero::pbf_reader message, Value::Struct& members) {
  ReadMembers(message, members, 1);
}

}  // namespace weir::rls
