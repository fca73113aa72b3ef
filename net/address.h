#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <sys/socket.h>

#include "weir/base/result.h"

namespace weir::net {

// Where to listen or connect, as people write it: "127.0.0.1:80", "[::1]:80", ":8081" (every
// address of both families), "unix:/run/weir.sock".  Names are not resolved.
struct Address {
  enum class Kind : std::uint8_t { kIp4, kIp6, kAny, kUnix };

  Kind kind = Kind::kAny;
  std::string host;  // As written, without brackets; the path of a unix socket; empty for kAny.
  std::uint16_t port = 0;  // 0 lets the kernel choose when listening.

  bool operator==(const Address&) const = default;
  // In the same spelling that ParseAddress() reads.
  std::string text() const;
};

struct AddressError {
  std::string message;  // Says what was wrong and shows a right one.
};

Result<Address, AddressError> ParseAddress(std::string_view text);

// An Address as the kernel wants it.  kAny becomes the IPv6 wildcard.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;
};
SocketAddress ToSocketAddress(const Address& address);

// "192.0.2.1" or "2001:db8::1" (an IPv4 address mapped into IPv6 is shown as IPv4) or "unix", and
// the port.
struct HostAndPort {
  std::string host;
  std::uint16_t port = 0;
};
HostAndPort Describe(const sockaddr_storage& from);

}  // namespace weir::net
