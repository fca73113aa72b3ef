#pragma once

#include <protozero/pbf_reader.hpp>

#include "weir/core/value.h"

namespace weir::rls {

// Bounds of what is read of one google.protobuf.Struct; beyond them it is kTooMany.
inline constexpr int kDeepestValue = 30;  // Protobuf's own readers stop at 100 messages, 3 a level.
inline constexpr std::size_t kMostMembers = 256;  // Of one struct.

// Reads a google.protobuf.Struct, adding to `members`; of equal keys the last wins.  Throws as
// wire::Guarded() expects.
void ReadStruct(protozero::pbf_reader message, Value::Struct& members);

}  // namespace weir::rls
