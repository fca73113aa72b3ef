#include "cli/from_env_table.h"

#include <array>

#include "weir/core/pattern.h"

namespace weir::cli {
namespace {

using Type = EnvVariable::Type;
using Treatment = EnvVariable::Treatment;

constexpr auto kHonoured = Treatment::kHonoured;
constexpr auto kNoEffect = Treatment::kNoEffect;
constexpr auto kUnsupported = Treatment::kUnsupported;

// The same text makes one warning for all the variables that have it.
constexpr std::string_view kSharedStore =
    "would have counted in Redis; a shared store is not configured by these variables yet, and "
    "counts are kept in this process's memory: run one instance, or expect each to grant the limit";
constexpr std::string_view kMemcached =
    "would have counted in memcached; there is no such store, and counts are kept in this "
    "process's "
    "memory";
constexpr std::string_view kXds =
    "would have fetched the rules from an xDS server; rules come from files: mount them and name "
    "the directory with RUNTIME_ROOT or --policy";
constexpr std::string_view kStatsd =
    "would have sent statistics to statsd; scrape /metrics of the admin address instead, the "
    "reference service's own names are at /stats there";
constexpr std::string_view kPrometheus =
    "would have opened a port for Prometheus alone; /metrics is served at the admin address: point "
    "the scraper there";
constexpr std::string_view kTracing =
    "would have exported traces; Weir exports none yet, and passes trace headers by untouched";
constexpr std::string_view kLocalStore =
    "would have tuned the traffic with the store; the memory store has no such traffic";

constexpr std::array kVariables = std::to_array<EnvVariable>({
    // Listeners, TLS, gRPC
    {"HOST", "0.0.0.0", Type::kText, kHonoured, "host of the HTTP address"},
    {"PORT", "8080", Type::kInt, kHonoured, "port of the HTTP address"},
    {"GRPC_HOST", "0.0.0.0", Type::kText, kHonoured, "host of the gRPC address"},
    {"GRPC_PORT", "8081", Type::kInt, kHonoured, "port of the gRPC address"},
    {"GRPC_UDS", "", Type::kText, kHonoured, "a unix socket for gRPC, instead of host and port"},
    {"DEBUG_HOST", "0.0.0.0", Type::kText, kHonoured,
     "host of the admin address; 127.0.0.1 if not set, unlike the reference service"},
    {"DEBUG_PORT", "6070", Type::kInt, kHonoured, "port of the admin address"},
    {"GRPC_MAX_CONNECTION_AGE", "24h", Type::kDuration, kHonoured,
     "GOAWAY to a connection of this age, give or take 10 %; 0: never"},
    {"GRPC_MAX_CONNECTION_AGE_GRACE", "1h", Type::kDuration, kHonoured,
     "what calls still get after that; 0: all the time they need"},
    {"GRPC_SERVER_USE_TLS", "false", Type::kBool, kHonoured, "TLS on the gRPC address"},
    {"GRPC_SERVER_TLS_CERT", "", Type::kText, kHonoured, "certificate file of the gRPC address"},
    {"GRPC_SERVER_TLS_KEY", "", Type::kText, kHonoured, "key file of the gRPC address"},
    {"GRPC_CLIENT_TLS_CACERT", "", Type::kText, kHonoured,
     "clients must show a certificate of this CA; the system's own CAs do not count, unlike in the "
     "reference service"},
    {"GRPC_CLIENT_TLS_SAN", "", Type::kText, kHonoured, "the name that certificate must carry"},

    // Where rules come from
    {"CONFIG_TYPE", "FILE", Type::kText, kHonoured, "FILE; anything else stops the start"},
    {"FORCE_START_WITHOUT_INITIAL_CONFIG", "false", Type::kBool, kUnsupported,
     "would have started without rules; a first load that fails stops the start", "false"},
    {"MERGE_DOMAIN_CONFIG", "false", Type::kBool, kHonoured,
     "one domain in several files: their lists are joined"},
    {"HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED", "false", Type::kBool, kNoEffect,
     "would have delayed readiness until rules are loaded; no port opens before they are", "false"},
    {"RUNTIME_ROOT", "/srv/runtime_data/current", Type::kText, kHonoured,
     "first part of the policy directory"},
    {"RUNTIME_SUBDIRECTORY", "", Type::kText, kHonoured, "second part of it"},
    {"RUNTIME_APPDIRECTORY", "config", Type::kText, kHonoured, "third part of it"},
    {"RUNTIME_IGNOREDOTFILES", "false", Type::kBool, kHonoured,
     "leaves out files and directories whose names begin with a dot"},
    {"RUNTIME_WATCH_ROOT", "true", Type::kBool, kHonoured,
     "true: of all files below the second part those count whose path begins with the third and a "
     "`/` or `.`; false: those below the third part. Changes are noticed either way: swapped links "
     "above the directory, and files in it"},
    {"CONFIG_GRPC_XDS_NODE_ID", "default", Type::kText, kUnsupported, kXds},
    {"CONFIG_GRPC_XDS_NODE_METADATA", "", Type::kText, kUnsupported, kXds},
    {"CONFIG_GRPC_XDS_SERVER_URL", "localhost:18000", Type::kText, kUnsupported, kXds},
    {"CONFIG_GRPC_XDS_SERVER_CONNECT_RETRY_INTERVAL", "3s", Type::kDuration, kUnsupported, kXds},
    {"CONFIG_GRPC_XDS_CLIENT_ADDITIONAL_HEADERS", "", Type::kText, kUnsupported, kXds},
    {"CONFIG_GRPC_XDS_SERVER_USE_TLS", "false", Type::kBool, kUnsupported, kXds},
    {"CONFIG_GRPC_XDS_CLIENT_TLS_CERT", "", Type::kText, kUnsupported, kXds},
    {"CONFIG_GRPC_XDS_CLIENT_TLS_KEY", "", Type::kText, kUnsupported, kXds},
    {"CONFIG_GRPC_XDS_SERVER_TLS_CACERT", "", Type::kText, kUnsupported, kXds},
    {"CONFIG_GRPC_XDS_SERVER_TLS_SAN", "", Type::kText, kUnsupported, kXds},
    {"XDS_CLIENT_BACKOFF_INITIAL_INTERVAL", "10s", Type::kDuration, kUnsupported, kXds},
    {"XDS_CLIENT_BACKOFF_MAX_INTERVAL", "60s", Type::kDuration, kUnsupported, kXds},
    {"XDS_CLIENT_BACKOFF_RANDOM_FACTOR", "0.5", Type::kFloat, kUnsupported, kXds},
    {"XDS_CLIENT_BACKOFF_JITTER", "true", Type::kBool, kUnsupported, kXds},
    {"XDS_CLIENT_MAX_MSG_SIZE_IN_BYTES", "", Type::kInt, kUnsupported, kXds},

    // How limits behave
    {"BACKEND_TYPE", "redis", Type::kText, kUnsupported, kSharedStore},
    {"EXPIRATION_JITTER_MAX_SECONDS", "300", Type::kInt, kNoEffect,
     "would have spread the expiry of Redis keys; counters in memory die with their window"},
    {"LOCAL_CACHE_SIZE_IN_BYTES", "0", Type::kInt, kHonoured,
     "remembers keys that are over their limit until their window ends, without asking the store; "
     "32 bytes a key"},
    {"NEAR_LIMIT_RATIO", "0.8", Type::kFloat, kHonoured,
     "above this part of a limit, hits count as near it"},
    {"CACHE_KEY_PREFIX", "", Type::kText, kHonoured, "stands before every counter's key"},
    {"STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT", "false", Type::kBool, kHonoured,
     "where one limit of a request would be exceeded, the counters of its other limits stand "
     "still"},
    {"USE_CALENDAR_MONTH_RATE_LIMIT", "false", Type::kBool, kHonoured,
     "a `month` is the UTC calendar's, not 30 days"},
    {"SHADOW_MODE", "false", Type::kBool, kHonoured, "answers OK to everything, and counts"},
    {"QUOTA_MODE", "false", Type::kBool, kHonoured, "every rule is a quota_mode rule"},
    {"RESPONSE_DYNAMIC_METADATA", "false", Type::kBool, kHonoured,
     "answers repeat what was asked, with the rules' metadata"},
    {"LIMIT_RESPONSE_HEADERS_ENABLED", "false", Type::kBool, kHonoured,
     "the three headers below on every answer"},
    {"LIMIT_LIMIT_HEADER", "RateLimit-Limit", Type::kText, kHonoured, "name of the first"},
    {"LIMIT_REMAINING_HEADER", "RateLimit-Remaining", Type::kText, kHonoured, "of the second"},
    {"LIMIT_RESET_HEADER", "RateLimit-Reset", Type::kText, kHonoured, "of the third"},

    // Redis
    {"REDIS_PERSECOND", "false", Type::kBool, kUnsupported, kSharedStore, "false"},
    {"REDIS_SOCKET_TYPE", "unix", Type::kText, kUnsupported, kSharedStore},
    {"REDIS_PERSECOND_SOCKET_TYPE", "unix", Type::kText, kUnsupported, kSharedStore},
    {"REDIS_TYPE", "SINGLE", Type::kText, kUnsupported, kSharedStore},
    {"REDIS_PERSECOND_TYPE", "SINGLE", Type::kText, kUnsupported, kSharedStore},
    {"REDIS_URL", "/var/run/nutcracker/ratelimit.sock", Type::kText, kUnsupported, kSharedStore},
    {"REDIS_PERSECOND_URL", "/var/run/nutcracker/ratelimitpersecond.sock", Type::kText,
     kUnsupported, kSharedStore},
    {"REDIS_POOL_SIZE", "10", Type::kInt, kUnsupported, kSharedStore},
    {"REDIS_PERSECOND_POOL_SIZE", "10", Type::kInt, kUnsupported, kSharedStore},
    {"REDIS_AUTH", "", Type::kText, kUnsupported, kSharedStore},
    {"REDIS_PERSECOND_AUTH", "", Type::kText, kUnsupported, kSharedStore},
    {"REDIS_SENTINEL_AUTH", "", Type::kText, kUnsupported, kSharedStore},
    {"REDIS_PERSECOND_SENTINEL_AUTH", "", Type::kText, kUnsupported, kSharedStore},
    {"REDIS_TLS", "false", Type::kBool, kUnsupported, kSharedStore},
    {"REDIS_PERSECOND_TLS", "false", Type::kBool, kUnsupported, kSharedStore},
    {"REDIS_PIPELINE_WINDOW", "0", Type::kDuration, kNoEffect, kLocalStore},
    {"REDIS_PERSECOND_PIPELINE_WINDOW", "0", Type::kDuration, kNoEffect, kLocalStore},
    {"REDIS_PIPELINE_LIMIT", "0", Type::kInt, kNoEffect, kLocalStore},
    {"REDIS_PERSECOND_PIPELINE_LIMIT", "0", Type::kInt, kNoEffect, kLocalStore},
    {"REDIS_CLUSTER_PIPELINE_PARALLELISM", "1", Type::kInt, kNoEffect, kLocalStore},
    {"REDIS_PERSECOND_CLUSTER_PIPELINE_PARALLELISM", "1", Type::kInt, kNoEffect, kLocalStore},
    {"REDIS_TIMEOUT", "10s", Type::kDuration, kNoEffect, kLocalStore},
    {"REDIS_PERSECOND_TIMEOUT", "10s", Type::kDuration, kNoEffect, kLocalStore},
    {"REDIS_POOL_ON_EMPTY_BEHAVIOR", "WAIT", Type::kText, kNoEffect, kLocalStore},
    {"REDIS_PERSECOND_POOL_ON_EMPTY_BEHAVIOR", "WAIT", Type::kText, kNoEffect, kLocalStore},
    {"REDIS_TLS_CLIENT_CERT", "", Type::kText, kUnsupported, kSharedStore},
    {"REDIS_TLS_CLIENT_KEY", "", Type::kText, kUnsupported, kSharedStore},
    {"REDIS_TLS_CACERT", "", Type::kText, kUnsupported, kSharedStore},
    {"REDIS_TLS_SKIP_HOSTNAME_VERIFICATION", "false", Type::kBool, kUnsupported, kSharedStore},
    {"REDIS_HEALTH_CHECK_ACTIVE_CONNECTION", "false", Type::kBool, kNoEffect,
     "would have made health follow the connection to Redis; there is none to lose", "false"},
    {"REDIS_STARTUP_INITIAL_INTERVAL", "1s", Type::kDuration, kNoEffect, kLocalStore},
    {"REDIS_STARTUP_MAX_INTERVAL", "30s", Type::kDuration, kNoEffect, kLocalStore},
    {"REDIS_STARTUP_MAX_ELAPSED_TIME", "0", Type::kDuration, kNoEffect, kLocalStore},
    {"REDIS_CLOSE_CONNECTION_ON_READONLY_ERROR", "false", Type::kBool, kNoEffect, kLocalStore,
     "false"},

    // Memcached
    {"MEMCACHE_HOST_PORT", "", Type::kText, kUnsupported, kMemcached},
    {"MEMCACHE_SRV", "", Type::kText, kUnsupported, kMemcached},
    {"MEMCACHE_SRV_REFRESH", "0", Type::kDuration, kUnsupported, kMemcached},
    {"MEMCACHE_MAX_IDLE_CONNS", "2", Type::kInt, kUnsupported, kMemcached},
    {"MEMCACHE_TLS", "false", Type::kBool, kUnsupported, kMemcached, "false"},
    {"MEMCACHE_TLS_CLIENT_CERT", "", Type::kText, kUnsupported, kMemcached},
    {"MEMCACHE_TLS_CLIENT_KEY", "", Type::kText, kUnsupported, kMemcached},
    {"MEMCACHE_TLS_CACERT", "", Type::kText, kUnsupported, kMemcached},
    {"MEMCACHE_TLS_SKIP_HOSTNAME_VERIFICATION", "false", Type::kBool, kUnsupported, kMemcached},

    // Statistics
    {"USE_STATSD", "true", Type::kBool, kUnsupported, kStatsd, "false"},
    {"STATSD_HOST", "localhost", Type::kText, kUnsupported, kStatsd},
    {"STATSD_PORT", "8125", Type::kInt, kUnsupported, kStatsd},
    {"STATSD_PROTOCOL", "tcp", Type::kText, kUnsupported, kStatsd},
    {"USE_DOG_STATSD", "false", Type::kBool, kUnsupported, kStatsd, "false"},
    {"USE_DOG_STATSD_MOGRIFIERS", "", Type::kText, kUnsupported, kStatsd},
    {"DOG_STATSD_MOGRIFIERS", "", Type::kText, kUnsupported, kStatsd},
    {"DOG_STATSD_MOGRIFIER_*", "", Type::kText, kUnsupported, kStatsd},
    {"USE_PROMETHEUS", "false", Type::kBool, kUnsupported, kPrometheus, "false"},
    {"PROMETHEUS_ADDR", ":9090", Type::kText, kUnsupported, kPrometheus},
    {"PROMETHEUS_PATH", "/metrics", Type::kText, kUnsupported, kPrometheus},
    {"PROMETHEUS_MAPPER_YAML", "", Type::kText, kUnsupported,
     "would have renamed metrics; rename them in the scraper's relabelling"},
    {"PROMETHEUS_RESPONSE_TIME_AS_MILLISECONDS", "false", Type::kBool, kUnsupported,
     "would have put milliseconds into a histogram of seconds; seconds are seconds here", "false"},
    {"DISABLE_STATS", "false", Type::kBool, kUnsupported,
     "would have switched statistics off; they are always counted, and answered for whoever asks",
     "false"},
    {"EXTRA_TAGS", "", Type::kMap, kUnsupported,
     "would have put tags on every metric; let the scraper add labels"},
    {"STATS_FLUSH_INTERVAL", "10s", Type::kDuration, kUnsupported, kStatsd},

    // Traces and logs
    {"TRACING_ENABLED", "false", Type::kBool, kUnsupported, kTracing, "false"},
    {"TRACING_EXPORTER_PROTOCOL", "http", Type::kText, kUnsupported, kTracing},
    {"TRACING_SERVICE_NAME", "RateLimit", Type::kText, kUnsupported, kTracing},
    {"TRACING_SERVICE_NAMESPACE", "", Type::kText, kUnsupported, kTracing},
    {"TRACING_SERVICE_INSTANCE_ID", "", Type::kText, kUnsupported, kTracing},
    {"TRACING_SAMPLING_RATE", "1", Type::kFloat, kUnsupported, kTracing},
    {"OTEL_EXPORTER_OTLP_*", "", Type::kText, kUnsupported, kTracing},
    {"LOG_LEVEL", "WARN", Type::kText, kHonoured,
     "panic, fatal, error, warn, info, debug or trace; anything else stops the start"},
    {"LOG_FORMAT", "text", Type::kText, kHonoured, "text or json"},
});

std::string_view NameOf(Treatment treatment) {
  switch (treatment) {
    case Treatment::kHonoured:
      return "honoured";
    case Treatment::kNoEffect:
      return "no effect";
    case Treatment::kUnsupported:
      return "not supported";
  }
  return {};
}

}  // namespace

std::span<const EnvVariable> EnvVariables() {
  return kVariables;
}

const EnvVariable* FindEnvVariable(std::string_view name) {
  for (const EnvVariable& variable : kVariables) {
    if (MatchesPattern(variable.name, name)) return &variable;
  }
  return nullptr;
}

std::string EnvVariablesAsMarkdown() {
  std::string out =
      "# `weir serve --from-env`\n\n"
      "What Weir does with the environment variables of envoyproxy/ratelimit.  Each one that is "
      "set "
      "is honoured, or named in a warning at the start, unless its value asks for what is so "
      "anyway.  Values are read as there: a malformed one, also an empty text where a number is "
      "due, stops the start.\n\n"
      "| variable | default there | here | |\n| --- | --- | --- | --- |\n";
  for (const EnvVariable& variable : kVariables) {
    out += "| `" + std::string(variable.name) + "` | ";
    if (!variable.fallback.empty()) out += "`" + std::string(variable.fallback) + "`";
    out += " | " + std::string(NameOf(variable.treatment)) + " | " + std::string(variable.text) +
           " |\n";
  }
  return out;
}

}  // namespace weir::cli
