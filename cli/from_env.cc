#include "cli/from_env.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>

#include "cli/from_env_table.h"
#include "cli/go_values.h"
#include "net/address.h"
#include "weir/config/settings.h"
#include "weir/failure/held_denials.h"

namespace weir::cli {
namespace {

using Type = EnvVariable::Type;
using Treatment = EnvVariable::Treatment;

// Why `text` is not of its variable's type; empty if it is.
std::string_view Malformed(Type type, std::string_view text) {
  switch (type) {
    case Type::kText:
      return {};
    case Type::kBool:
      return ParseGoBool(text) ? "" : "is not a boolean: write true or false";
    case Type::kInt:
      return ParseGoInt(text) ? "" : "is not a whole number";
    case Type::kFloat:
      return ParseGoFloat(text) ? "" : "is not a number";
    case Type::kDuration:
      return ParseGoDuration(text) ? "" : "is not a duration: write a number and a unit, as in 10s";
    case Type::kMap:
      return IsGoMap(text) ? "" : "is not a list of key:value, separated by commas";
  }
  return {};
}

bool IsHarmless(const EnvVariable& variable, std::string_view text) {
  if (variable.harmless.empty()) return false;
  if (variable.type == Type::kBool) return ParseGoBool(text) == ParseGoBool(variable.harmless);
  if (variable.type == Type::kInt) return ParseGoInt(text) == ParseGoInt(variable.harmless);
  return text == variable.harmless;
}

// A field name of RFC 9110.
bool IsToken(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') || kMarks.find(c) != std::string_view::npos;
  });
}

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return out;
}

// How many denials fit into a cache of the reference service's size: it never makes a smaller one
// than half a megabyte, and none for a size that is not positive.
std::uint64_t HeldDenialsIn(std::optional<std::string_view> size) {
  constexpr std::int64_t kSmallest = 512 * 1024;
  const std::int64_t bytes = size ? *ParseGoInt(*size) : 0;
  if (bytes <= 0) return 0;
  const auto keys =
      static_cast<std::uint64_t>(std::max(bytes, kSmallest)) / HeldDenials::kBytesPerKey;
  return std::min(keys, StoreSettings::kMostHeldDenials);
}

class Reader {
 public:
  explicit Reader(FromEnvironmentResult& out) : out_(out), settings_(out.settings) {}

  // Sorts out what is set: malformed, not honoured, or kept for the readers below.
  void Sort(const Environment& environment) {
    for (const auto& [name, value] : environment) {
      const EnvVariable* const variable = FindEnvVariable(name);
      if (variable == nullptr) continue;
      if (const std::string_view why = Malformed(variable->type, value); !why.empty()) {
        Fail(name, value.empty() ? "is set, but empty: unset it, or give it a value" : why);
      } else if (variable->treatment == Treatment::kHonoured || name == "BACKEND_TYPE") {
        set_.emplace(name, value);
      } else if (!IsHarmless(*variable, value)) {
        Warn(name, variable->text);
      }
    }
  }

  void ReadListeners() {
    settings_.http = Address("HOST", "0.0.0.0", "PORT", 8080);
    settings_.grpc = Address("GRPC_HOST", "0.0.0.0", "GRPC_PORT", 8081);
    settings_.admin = Address("DEBUG_HOST", "127.0.0.1", "DEBUG_PORT", 6070);
    if (const std::string path = Text("GRPC_UDS", ""); !path.empty()) {
      settings_.grpc = "unix:" + path;
    }
    settings_.max_connection_age = Age("GRPC_MAX_CONNECTION_AGE", std::chrono::hours(24));
    settings_.max_connection_age_grace =
        Age("GRPC_MAX_CONNECTION_AGE_GRACE", std::chrono::hours(1));
  }

  void ReadTls() {
    constexpr std::string_view kCertificate = "GRPC_SERVER_TLS_CERT";
    constexpr std::string_view kKey = "GRPC_SERVER_TLS_KEY";
    constexpr std::string_view kClientCa = "GRPC_CLIENT_TLS_CACERT";
    constexpr std::string_view kSan = "GRPC_CLIENT_TLS_SAN";
    settings_.grpc_tls = Bool("GRPC_SERVER_USE_TLS");
    if (!settings_.grpc_tls) {
      for (const std::string_view name : {kCertificate, kKey, kClientCa, kSan}) {
        if (!Text(name, "").empty()) Warn(name, "has no effect without GRPC_SERVER_USE_TLS=true");
      }
      return;
    }
    settings_.tls.certificate_file = Text(kCertificate, "");
    settings_.tls.key_file = Text(kKey, "");
    settings_.tls.client_ca_file = Text(kClientCa, "");
    settings_.tls.client_san = Text(kSan, "");
    if (settings_.tls.certificate_file.empty()) Fail(kCertificate, "must name a file for TLS");
    if (settings_.tls.key_file.empty()) Fail(kKey, "must name a file for TLS");
    if (!settings_.tls.client_san.empty() && settings_.tls.client_ca_file.empty()) {
      Fail(kSan,
           "names what a client's certificate must carry, but without "
           "GRPC_CLIENT_TLS_CACERT no client shows one");
    }
  }

  void ReadPolicy() {
    if (const std::string type = Text("CONFIG_TYPE", "FILE"); type != "FILE") {
      Fail("CONFIG_TYPE",
           "asks for rules from elsewhere; Weir reads files: CONFIG_TYPE=FILE, and "
           "name the directory with RUNTIME_ROOT or --policy");
    }
    const std::string directory = Text("RUNTIME_SUBDIRECTORY", "");
    const std::string path = Text("RUNTIME_ROOT", "/srv/runtime_data/current") + "/" + directory +
                             "/" + Text("RUNTIME_APPDIRECTORY", "config");
    const auto normal = [](const std::string& text) {
      return std::filesystem::path(text).lexically_normal().generic_string();
    };
    settings_.policy.path = normal(path);
    const std::string root = Text("RUNTIME_ROOT", "/srv/runtime_data/current") + "/" + directory;
    if (Bool("RUNTIME_WATCH_ROOT", true)) settings_.policy.root = normal(root);
    settings_.policy.layout = PolicyLayout::kRuntime;
    settings_.policy.ignore_dot_files = Bool("RUNTIME_IGNOREDOTFILES");
    settings_.policy_named =
        IsSet("RUNTIME_ROOT") || IsSet("RUNTIME_SUBDIRECTORY") || IsSet("RUNTIME_APPDIRECTORY");
    if (settings_.policy_named && directory.empty() && Bool("RUNTIME_WATCH_ROOT", true)) {
      Warn("RUNTIME_SUBDIRECTORY",
           "is empty: the reference service would load no rule at all, Weir reads " +
               settings_.policy.path);
    }
    settings_.merge_domains = Bool("MERGE_DOMAIN_CONFIG");
  }

  void ReadAnswers() {
    if (const auto ratio = Value("NEAR_LIMIT_RATIO")) {
      // The reference service keeps it in 32 bits, and its thresholds follow from those.
      settings_.near_limit_ratio = static_cast<float>(*ParseGoFloat(*ratio));
    }
    settings_.key_prefix = Text("CACHE_KEY_PREFIX", "");
    settings_.calendar_months = Bool("USE_CALENDAR_MONTH_RATE_LIMIT");
    settings_.held_denials = HeldDenialsIn(Value("LOCAL_CACHE_SIZE_IN_BYTES"));
    settings_.stand_still_when_over = Bool("STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT");
    ResponseOptions& response = settings_.response;
    response.global_shadow = Bool("SHADOW_MODE");
    response.global_quota = Bool("QUOTA_MODE");
    response.dynamic_metadata = Bool("RESPONSE_DYNAMIC_METADATA");
    response.reference_headers = Bool("LIMIT_RESPONSE_HEADERS_ENABLED");
    response.reference_names.limit = HeaderName("LIMIT_LIMIT_HEADER", "RateLimit-Limit");
    response.reference_names.remaining =
        HeaderName("LIMIT_REMAINING_HEADER", "RateLimit-Remaining");
    response.reference_names.reset = HeaderName("LIMIT_RESET_HEADER", "RateLimit-Reset");
  }

  void ReadBackend() {
    const auto type = Value("BACKEND_TYPE");
    if (!type) return;
    if (*type == "memcache") return Warn("BACKEND_TYPE", FindEnvVariable("MEMCACHE_SRV")->text);
    if (!type->empty() && *type != "redis") return Fail("BACKEND_TYPE", "is redis or memcache");
    Warn("BACKEND_TYPE", FindEnvVariable("BACKEND_TYPE")->text);
  }

  void ReadLog() {
    struct Word {
      std::string_view text;
      LogLevel level;
    };
    static constexpr std::array<Word, 8> kWords{{{"panic", LogLevel::kPanic},
                                                 {"fatal", LogLevel::kFatal},
                                                 {"error", LogLevel::kError},
                                                 {"warn", LogLevel::kWarn},
                                                 {"warning", LogLevel::kWarn},
                                                 {"info", LogLevel::kInfo},
                                                 {"debug", LogLevel::kDebug},
                                                 {"trace", LogLevel::kTrace}}};
    const std::string asked = Lower(Text("LOG_LEVEL", "warn"));
    const auto word =
        std::find_if(kWords.begin(), kWords.end(), [&](const Word& w) { return w.text == asked; });
    if (word == kWords.end()) {
      Fail("LOG_LEVEL", "is panic, fatal, error, warn, info, debug or trace");
    } else {
      settings_.log_level = word->level;
    }
    const std::string format = Text("LOG_FORMAT", "text");
    settings_.log_json = format == "json";
    if (format != "json" && format != "text") {
      Warn("LOG_FORMAT", "is neither text nor json; logs are text");
    }
  }

 private:
  std::optional<std::string_view> Value(std::string_view name) const {
    const auto found = set_.find(name);
    if (found == set_.end()) return std::nullopt;
    return found->second;
  }
  bool IsSet(std::string_view name) const { return set_.find(name) != set_.end(); }

  std::string Text(std::string_view name, std::string_view fallback) const {
    return std::string(Value(name).value_or(fallback));
  }

  bool Bool(std::string_view name, bool fallback = false) const {
    const auto value = Value(name);
    return value ? *ParseGoBool(*value) : fallback;
  }

  std::string Address(std::string_view host_name, std::string_view default_host,
                      std::string_view port_name, std::int64_t default_port) {
    const auto written = Value(port_name);
    const std::int64_t port = written ? *ParseGoInt(*written) : default_port;
    if (port < 0 || port > 65535) Fail(port_name, "is not a port: 0 to 65535");
    std::string host = Text(host_name, default_host);
    if (host == "localhost") host = "127.0.0.1";
    if (host.find(':') != std::string::npos && host.front() != '[') host = "[" + host + "]";
    std::string address = host + ":" + std::to_string(std::clamp<std::int64_t>(port, 0, 65535));
    if (!net::ParseAddress(address)) Fail(host_name, "is not an address; names are not resolved");
    return address;
  }

  Duration Age(std::string_view name, Duration fallback) {
    const auto value = Value(name);
    const Duration age = value ? *ParseGoDuration(*value) : fallback;
    if (age < Duration{}) Fail(name, "is negative");
    return age;
  }

  std::string HeaderName(std::string_view name, std::string_view fallback) {
    std::string header = Text(name, fallback);
    if (!IsToken(header)) Fail(name, "is not the name of a header");
    return header;
  }

  static void Add(std::vector<EnvironmentFinding>& to, std::string_view name,
                  std::string_view text) {
    const auto same = std::find_if(to.begin(), to.end(),
                                   [&](const EnvironmentFinding& f) { return f.text == text; });
    if (same != to.end()) {
      same->names.emplace_back(name);
    } else {
      to.push_back({{std::string(name)}, std::string(text)});
    }
  }
  void Warn(std::string_view name, std::string_view text) { Add(out_.warnings, name, text); }
  void Fail(std::string_view name, std::string_view text) { Add(out_.errors, name, text); }

  FromEnvironmentResult& out_;
  EnvironmentSettings& settings_;
  Environment set_;  // Well-formed ones that are read here.
};

}  // namespace

std::string EnvironmentFinding::line() const {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out + ": " + text;
}

FromEnvironmentResult FromEnvironment(const Environment& environment) {
  FromEnvironmentResult out;
  Reader reader(out);
  reader.Sort(environment);
  reader.ReadListeners();
  reader.ReadTls();
  reader.ReadPolicy();
  reader.ReadAnswers();
  reader.ReadBackend();
  reader.ReadLog();
  return out;
}

}  // namespace weir::cli
