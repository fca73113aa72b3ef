#include "redis/endpoint.h"

#include <charconv>
#include <fstream>
#include <optional>

namespace weir::redis {
namespace {

constexpr std::uint16_t kPort = 6379;
constexpr std::uint16_t kSentinelPort = 26379;
constexpr std::uint32_t kMostDatabases = 1U << 16U;
constexpr std::size_t kLongestPath = 107;  // Of a unix socket.

EndpointError Wrong(const std::string& why) {
  return {"the store's URL: " + why +
          "; write redis://host:6379, rediss://user@host:6380/0?password_file=/path, "
          "unix:///run/redis.sock, redis+cluster://host1,host2 or "
          "redis+sentinel://host1,host2/name"};
}

std::optional<std::string> Unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned value = 0;
    if (i + 2 >= text.size()) return {};
    const auto [end, error] = std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16);
    if (error != std::errc() || end != text.data() + i + 3) return {};
    out += static_cast<char>(value);
    i += 2;
  }
  return out;
}

template <typename T>
std::optional<T> Number(std::string_view text, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > most) return {};
  return static_cast<T>(value);
}

// Takes what stands before the first `mark` (which goes too), or all of it.
std::string_view TakeUntil(std::string_view& text, char mark) {
  const std::size_t at = text.find(mark);
  const std::string_view taken = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return taken;
}

struct Scheme {
  std::string_view name;
  Endpoint::Kind kind;
  bool tls;
};
constexpr Scheme kSchemes[] = {
    {"redis", Endpoint::Kind::kSingle, false},
    {"rediss", Endpoint::Kind::kSingle, true},
    {"unix", Endpoint::Kind::kSingle, false},
    {"redis+cluster", Endpoint::Kind::kCluster, false},
    {"rediss+cluster", Endpoint::Kind::kCluster, true},
    {"redis+sentinel", Endpoint::Kind::kSentinel, false},
    {"rediss+sentinel", Endpoint::Kind::kSentinel, true},
};

class Parser {
 public:
  Parser(std::string_view url, Environment environment) : url_(url), environment_(environment) {}

  Result<Endpoint, EndpointError> Parse() {
    const std::size_t mark = url_.find("://");
    const std::string_view name = url_.substr(0, mark);
    const Scheme* scheme = nullptr;
    for (const Scheme& s : kSchemes) {
      if (s.name == name) scheme = &s;
    }
    if (mark == std::string_view::npos || scheme == nullptr) return Wrong("it has no known scheme");
    out_.kind = scheme->kind;
    out_.tls = scheme->tls;
    std::string_view rest = url_.substr(mark + 3);
    std::string_view before = TakeUntil(rest, '?');
    const bool good = (name == "unix" ? ReadSocket(before) : ReadAuthority(before)) &&
                      ReadOptions(rest) && Check();
    if (!good) return Wrong(why_);
    return out_;
  }

 private:
  bool Fail(std::string why) {
    why_ = std::move(why);
    return false;
  }

  bool ReadSocket(std::string_view text) {
    const auto path = Unescape(text);
    if (!path || !path->starts_with('/')) return Fail("the path of the socket must be absolute");
    if (path->size() > kLongestPath) return Fail("a socket's path may have at most 107 bytes");
    out_.servers.push_back({.path = *path});
    return true;
  }

  bool ReadAuthority(std::string_view text) {
    const std::size_t slash = text.find('/');
    std::string_view authority = text.substr(0, slash);
    std::string_view path = slash == std::string_view::npos ? "" : text.substr(slash + 1);
    if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
      if (!ReadLogin(authority.substr(0, at))) return false;
      authority.remove_prefix(at + 1);
    }
    do {
      if (!ReadServer(TakeUntil(authority, ','))) return false;
    } while (!authority.empty());
    if (out_.kind == Endpoint::Kind::kSingle && out_.servers.size() > 1) {
      return Fail("several hosts need redis+cluster:// or redis+sentinel://");
    }
    if (out_.kind == Endpoint::Kind::kSentinel) {
      const auto name = Unescape(TakeUntil(path, '/'));
      if (!name || name->empty()) return Fail("the Sentinels' name of the primary is missing");
      out_.sentinel_name = *name;
    }
    return path.empty() || ReadDatabase(path);
  }

  bool ReadLogin(std::string_view text) {
    const auto user = Unescape(TakeUntil(text, ':'));
    const auto password = Unescape(text);
    if (!user || !password) return Fail("a % must be followed by two hexadecimal digits");
    out_.login.user = *user;
    out_.login.password = *password;
    return true;
  }

  bool ReadServer(std::string_view text) {
    ServerAddress server;
    server.port = out_.kind == Endpoint::Kind::kSentinel ? kSentinelPort : kPort;
    std::string_view port;
    if (text.starts_with('[')) {
      const std::size_t close = text.find(']');
      if (close == std::string_view::npos) return Fail("a bracket is not closed");
      server.host = text.substr(1, close - 1);
      port = text.substr(close + 1);
      if (!port.empty() && port.front() != ':') return Fail("a bracket is followed by :port");
      if (!port.empty()) port.remove_prefix(1);
    } else {
      const std::size_t colon = text.find(':');
      server.host = text.substr(0, colon);
      if (colon != std::string_view::npos) port = text.substr(colon + 1);
      if (port.find(':') != std::string_view::npos) return Fail("an IPv6 address needs brackets");
    }
    if (server.host.empty()) return Fail("a host is missing");
    if (!port.empty()) {
      const auto number = Number<std::uint16_t>(port, 65535);
      if (!number || *number == 0) return Fail("a port is a number from 1 to 65535");
      server.port = *number;
    }
    out_.servers.push_back(std::move(server));
    return true;
  }

  bool ReadDatabase(std::string_view text) {
    const auto number = Number<std::uint32_t>(text, kMostDatabases);
    if (!number) return Fail("the database is a number");
    out_.database = *number;
    return true;
  }

  bool ReadOptions(std::string_view text) {
    while (!text.empty()) {
      std::string_view value = TakeUntil(text, '&');
      const std::string_view name = TakeUntil(value, '=');
      const auto plain = Unescape(value);
      if (!plain) return Fail("a % must be followed by two hexadecimal digits");
      if (!ReadOption(name, *plain)) return false;
    }
    return true;
  }

  bool ReadOption(std::string_view name, const std::string& value) {
    if (name == "prefix") return out_.prefix = value, true;
    if (name == "user") return out_.login.user = value, true;
    if (name == "password_file") return out_.login.password_file = value, true;
    if (name == "password_env") return ReadVariable(value, out_.login);
    if (name == "sentinel_user") return out_.sentinel_login.user = value, true;
    if (name == "sentinel_password_file") return out_.sentinel_login.password_file = value, true;
    if (name == "sentinel_password_env") return ReadVariable(value, out_.sentinel_login);
    if (name == "database") return ReadDatabase(value);
    if (name == "ca_file") return out_.ca_file = value, true;
    if (name == "certificate_file") return out_.certificate_file = value, true;
    if (name == "key_file") return out_.key_file = value, true;
    return Fail("it has no option \"" + std::string(name) + "\"");
  }

  bool ReadVariable(const std::string& name, Endpoint::Login& login) {
    login.password = environment_(name);
    return !login.password.empty() || Fail("the variable " + name + " is not set");
  }

  bool Check() {
    if (out_.prefix.find_first_of("{}") != std::string::npos) {
      return Fail("a key prefix has no braces");
    }
    if (out_.kind == Endpoint::Kind::kCluster && out_.database != 0) {
      return Fail("a cluster has only database 0");
    }
    if (out_.certificate_file.empty() != out_.key_file.empty()) {
      return Fail("certificate_file and key_file belong together");
    }
    return true;
  }

  std::string_view url_;
  Environment environment_;
  Endpoint out_;
  std::string why_;
};

}  // namespace

std::string ServerAddress::text() const {
  if (!path.empty()) return "unix:" + path;
  const bool ip6 = host.find(':') != std::string::npos;
  return (ip6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<std::string, EndpointError> Endpoint::Login::Password() const {
  if (password_file.empty()) return password;
  std::ifstream file(password_file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) return EndpointError{"cannot read the password file " + password_file};
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

std::string Endpoint::text() const {
  std::string out;
  if (servers.size() == 1 && !servers[0].path.empty()) {
    out = "unix://" + servers[0].path;
  } else {
    out = tls ? "rediss" : "redis";
    out += kind == Kind::kCluster ? "+cluster" : kind == Kind::kSentinel ? "+sentinel" : "";
    out += "://";
    for (std::size_t i = 0; i < servers.size(); ++i) out += (i == 0 ? "" : ",") + servers[i].text();
    if (kind == Kind::kSentinel) out += "/" + sentinel_name;
  }
  if (database != 0)
    out += (servers[0].path.empty() ? "/" : "?database=") + std::to_string(database);
  return out;
}

Result<Endpoint, EndpointError> ParseEndpoint(std::string_view url, Environment environment) {
  return Parser(url, environment).Parse();
}

}  // namespace weir::redis
