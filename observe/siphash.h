#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace weir::observe {

// SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed hash that tells nothing about its input to
// who does not know the key, unlike the table's fast hashes.
using SipKey = std::array<std::uint64_t, 2>;
std::uint64_t SipHash(const SipKey& key, std::string_view bytes);

}  // namespace weir::observe
