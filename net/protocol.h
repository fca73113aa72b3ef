#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "net/session.h"

namespace weir::net {

enum class Protocol : std::uint8_t { kHttp1, kHttp2 };

// Makes the session of a new connection once it is known what the peer speaks: by ALPN, or by its
// first bytes (prior knowledge, RFC 9113 section 3.3).  A server that speaks one protocol may
// ignore `protocol`; its session then refuses what it does not understand.  Null closes the
// connection.  Called on the connection's loop; must be safe to call on several loops at once.
using SessionFactory = std::function<std::unique_ptr<Session>(Transport&, Protocol)>;

// Nothing yet if `first` is a proper beginning of the HTTP/2 preface.  RFC 9113 section 3.4
std::optional<Protocol> SniffProtocol(std::span<const std::uint8_t> first);

// By ALPN; kHttp1 for anything but "h2".  RFC 7301
Protocol ProtocolOfAlpn(std::string_view alpn);

}  // namespace weir::net
