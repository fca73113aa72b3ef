#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir {

// Which face a request came in by.
enum class Transport : std::uint8_t { kLibrary, kGrpc, kHttp, kGateway };
inline constexpr std::size_t kTransports = 4;

// "library", "grpc", "http", "gateway".
std::string_view NameOf(Transport transport);

}  // namespace weir
