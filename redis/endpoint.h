#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"

namespace weir::redis {

// One address of a server: a host (DNS name or IP address, without brackets) and port, or the path
// of a unix socket.
struct ServerAddress {
  std::string host{};
  std::uint16_t port = 0;
  std::string path{};  // Not empty: a unix socket.

  bool operator==(const ServerAddress&) const = default;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang 14 sees a 0 in the defaulted operator.
  auto operator<=>(const ServerAddress&) const = default;
  // "host:port", "[::1]:port" or "unix:/path".
  std::string text() const;
};

// A shared store, as people write it:
//
//   redis://[user[:password]@]host[:port][/database][?option=value&...]     one server
//   rediss://...                                                             the same, over TLS
//   unix:///path/to/socket[?...]                                             the same, on this
//   machine redis+cluster://host[:port],host[:port]...    rediss+cluster://...       a cluster
//   redis+sentinel://host[:port],.../name[/database]   rediss+sentinel://... by its Sentinels
//
// Options: prefix (of the keys), password_file, password_env, user, database, ca_file,
// certificate_file, key_file, sentinel_user, sentinel_password_file, sentinel_password_env.
// Reserved characters are written %XX.
struct Endpoint {
  enum class Kind : std::uint8_t { kSingle, kCluster, kSentinel };

  // A name and where its password comes from.  The password itself may be given in the URL, which
  // is the least good place; a file is read again for every connection, so that it can be changed.
  struct Login {
    std::string user{};
    std::string password{};
    std::string password_file{};

    bool given() const { return !password.empty() || !password_file.empty(); }
    // The password, or why the file could not be read.  One newline at its end is not part of it.
    Result<std::string, struct EndpointError> Password() const;
    bool operator==(const Login&) const = default;
  };

  Kind kind = Kind::kSingle;
  std::vector<ServerAddress> servers;  // Of kSingle: one.
  bool tls = false;
  Login login;
  Login sentinel_login;
  std::uint32_t database = 0;
  std::string sentinel_name;  // What the Sentinels call the primary.
  std::string prefix = "weir:";
  std::string ca_file;
  std::string certificate_file;
  std::string key_file;

  // What may be shown: the URL without any password or user.
  std::string text() const;
};

struct EndpointError {
  std::string message;  // Says what was wrong and shows a right one; never a password.
};

// Looks up a variable of the environment: empty if there is none.
using Environment = std::string (*)(const std::string& name);

// Reads a URL.  `environment` serves password_env; a variable that is not set is an error.
Result<Endpoint, EndpointError> ParseEndpoint(std::string_view url, Environment environment);

}  // namespace weir::redis
