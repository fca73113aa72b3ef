#pragma once

#include <cstdint>
#include <string_view>

namespace weir {

// XXH3, 64 bits.  Seeded per process wherever clients choose the input (a random seed is what
// protects a table against chosen collisions); unseeded where all instances must agree.
std::uint64_t Hash64(std::string_view bytes, std::uint64_t seed);

// Mixes one more 64-bit word into a running hash.  Order matters.  Public domain finaliser
// constants (David Stafford, "mix13").
constexpr std::uint64_t MixHash(std::uint64_t h, std::uint64_t word) {
  std::uint64_t x = h ^ (word + 0x9e3779b97f4a7c15ULL + (h << 6U) + (h >> 2U));
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

}  // namespace weir
