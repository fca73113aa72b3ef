#include "net/protocol.h"

#include <algorithm>

namespace weir::net {

std::optional<Protocol> SniffProtocol(std::span<const std::uint8_t> first) {
  constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  const std::size_t common = std::min(first.size(), kPreface.size());
  if (!std::equal(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(common),
                  kPreface.begin(),
                  [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); })) {
    return Protocol::kHttp1;
  }
  // No HTTP/1.1 method but this word begins so; enough to know.
  if (common >= 14) return Protocol::kHttp2;
  return std::nullopt;
}

Protocol ProtocolOfAlpn(std::string_view alpn) {
  return alpn == "h2" ? Protocol::kHttp2 : Protocol::kHttp1;
}

}  // namespace weir::net
