#pragma once

#include <cstdint>
#include <string_view>

#include "weir/base/hash.h"

namespace weir::policy_hash {

// How a node is found from its parent, shared by the builder and the walk.  Framed: a key and a
// value never run into each other.

inline std::uint64_t OfKey(std::uint32_t parent, std::string_view key, std::uint64_t seed) {
  return MixHash(parent, Hash64(key, seed));
}
// `value_hash` is Hash64() of the value, by the same seed.
inline std::uint64_t OfValue(std::uint64_t key_hash, std::uint64_t value_hash) {
  return MixHash(key_hash, value_hash);
}

}  // namespace weir::policy_hash
