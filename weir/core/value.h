#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace weir {

struct Member;

// A JSON-like tree: what a rule's `metadata` holds and what google.protobuf.Struct can carry.
// A plain value.  A struct keeps its members in the order written; names do not repeat.
struct Value {
  using List = std::vector<Value>;
  using Struct = std::vector<Member>;

  std::variant<std::monostate, bool, double, std::string, List, Struct> held;

  bool operator==(const Value& other) const;

  bool is_null() const { return held.index() == 0; }
  const Struct* as_struct() const { return std::get_if<Struct>(&held); }
  Struct* as_struct() { return std::get_if<Struct>(&held); }
};

// A named value of a struct.
struct Member {
  Member(std::string name, Value value) : first(std::move(name)), second(std::move(value)) {}

  std::string first;
  Value second;

  bool operator==(const Member& other) const {
    return first == other.first && second == other.second;
  }
};

// Copies every member of `from` into `into` that `into` lacks; structs on both sides are merged
// the same way, all the way down.  What is there already wins.
void MergeMissing(Value::Struct& into, const Value::Struct& from);

}  // namespace weir
