#include "net/address.h"

#include <charconv>
#include <cstring>
#include <optional>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

namespace weir::net {

namespace {

std::optional<std::uint16_t> ParsePort(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value > 65535) {
    return std::nullopt;
  }
  return static_cast<std::uint16_t>(value);
}

bool IsAddress(int family, const std::string& text) {
  in6_addr ignored{};
  return inet_pton(family, text.c_str(), &ignored) == 1;
}

AddressError Wrong(std::string_view text, std::string_view why) {
  return {"\"" + std::string(text) + "\" is not an address: " + std::string(why) +
          "; write \":8081\", \"127.0.0.1:8081\", \"[::1]:8081\" or \"unix:/path\""};
}

}  // namespace

std::string Address::text() const {
  switch (kind) {
    case Kind::kUnix:
      return "unix:" + host;
    case Kind::kIp6:
      return "[" + host + "]:" + std::to_string(port);
    default:
      return host + ":" + std::to_string(port);
  }
}

Result<Address, AddressError> ParseAddress(std::string_view text) {
  Address address;
  if (text.starts_with("unix:")) {
    address.kind = Address::Kind::kUnix;
    address.host = text.substr(5);
    if (address.host.empty()) return Wrong(text, "the path is missing");
    if (address.host.size() >= sizeof(sockaddr_un::sun_path)) {
      return Wrong(text, "a socket's path may have at most 107 bytes");
    }
    return address;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return Wrong(text, "the port is missing");
  const std::string_view host = text.substr(0, colon);
  const auto port = ParsePort(text.substr(colon + 1));
  if (!port) return Wrong(text, "the port must be a number from 0 to 65535");
  address.port = *port;
  if (host.empty()) return address;
  if (host.front() == '[') {
    address.kind = Address::Kind::kIp6;
    if (host.back() != ']') return Wrong(text, "the bracket is not closed");
    address.host = host.substr(1, host.size() - 2);
    if (!IsAddress(AF_INET6, address.host)) return Wrong(text, "no IPv6 address in the brackets");
    return address;
  }
  address.kind = Address::Kind::kIp4;
  address.host = host;
  if (host.find(':') != std::string_view::npos) {
    return Wrong(text, "an IPv6 address needs brackets");
  }
  if (address.host == "localhost") address.host = "127.0.0.1";
  if (!IsAddress(AF_INET, address.host)) {
    return Wrong(text, "the host must be an IP address, names are not looked up");
  }
  return address;
}

SocketAddress ToSocketAddress(const Address& address) {
  SocketAddress out;
  switch (address.kind) {
    case Address::Kind::kUnix: {
      auto* un = reinterpret_cast<sockaddr_un*>(&out.storage);
      un->sun_family = AF_UNIX;
      std::memcpy(un->sun_path, address.host.data(),
                  std::min(address.host.size(), sizeof(un->sun_path) - 1));
      out.length = sizeof(sockaddr_un);
      break;
    }
    case Address::Kind::kIp4: {
      auto* in = reinterpret_cast<sockaddr_in*>(&out.storage);
      in->sin_family = AF_INET;
      in->sin_port = htons(address.port);
      inet_pton(AF_INET, address.host.c_str(), &in->sin_addr);
      out.length = sizeof(sockaddr_in);
      break;
    }
    default: {
      auto* in = reinterpret_cast<sockaddr_in6*>(&out.storage);
      in->sin6_family = AF_INET6;
      in->sin6_port = htons(address.port);
      if (address.kind == Address::Kind::kIp6) {
        inet_pton(AF_INET6, address.host.c_str(), &in->sin6_addr);
      }
      out.length = sizeof(sockaddr_in6);
    }
  }
  return out;
}

HostAndPort Describe(const sockaddr_storage& from) {
  char text[INET6_ADDRSTRLEN] = "";
  if (from.ss_family == AF_INET) {
    const auto& in = reinterpret_cast<const sockaddr_in&>(from);
    inet_ntop(AF_INET, &in.sin_addr, text, sizeof text);
    return {text, ntohs(in.sin_port)};
  }
  if (from.ss_family == AF_INET6) {
    const auto& in = reinterpret_cast<const sockaddr_in6&>(from);
    if (IN6_IS_ADDR_V4MAPPED(&in.sin6_addr)) {
      inet_ntop(AF_INET, &in.sin6_addr.s6_addr[12], text, sizeof text);
    } else {
      inet_ntop(AF_INET6, &in.sin6_addr, text, sizeof text);
    }
    return {text, ntohs(in.sin6_port)};
  }
  return {"unix", 0};
}

}  // namespace weir::net
