#include "cli/from_env.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/from_env_table.h"

namespace weir::cli {
namespace {

using Treatment = EnvVariable::Treatment;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::set<std::string> NamesIn(const std::vector<EnvironmentFinding>& findings) {
  std::set<std::string> out;
  for (const EnvironmentFinding& finding : findings) {
    out.insert(finding.names.begin(), finding.names.end());
  }
  return out;
}

EnvironmentSettings Read(const Environment& environment) {
  FromEnvironmentResult result = FromEnvironment(environment);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.errors.front().line());
  return result.settings;
}

// Every variable that the reference service reads.
const std::vector<std::string> kAllNames = {
    "HOST",
    "PORT",
    "GRPC_HOST",
    "GRPC_PORT",
    "GRPC_UDS",
    "DEBUG_HOST",
    "DEBUG_PORT",
    "GRPC_MAX_CONNECTION_AGE",
    "GRPC_MAX_CONNECTION_AGE_GRACE",
    "GRPC_SERVER_USE_TLS",
    "GRPC_SERVER_TLS_CERT",
    "GRPC_SERVER_TLS_KEY",
    "GRPC_CLIENT_TLS_CACERT",
    "GRPC_CLIENT_TLS_SAN",
    "CONFIG_TYPE",
    "FORCE_START_WITHOUT_INITIAL_CONFIG",
    "MERGE_DOMAIN_CONFIG",
    "HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED",
    "RUNTIME_ROOT",
    "RUNTIME_SUBDIRECTORY",
    "RUNTIME_APPDIRECTORY",
    "RUNTIME_IGNOREDOTFILES",
    "RUNTIME_WATCH_ROOT",
    "CONFIG_GRPC_XDS_NODE_ID",
    "CONFIG_GRPC_XDS_NODE_METADATA",
    "CONFIG_GRPC_XDS_SERVER_URL",
    "CONFIG_GRPC_XDS_SERVER_CONNECT_RETRY_INTERVAL",
    "CONFIG_GRPC_XDS_CLIENT_ADDITIONAL_HEADERS",
    "CONFIG_GRPC_XDS_SERVER_USE_TLS",
    "CONFIG_GRPC_XDS_CLIENT_TLS_CERT",
    "CONFIG_GRPC_XDS_CLIENT_TLS_KEY",
    "CONFIG_GRPC_XDS_SERVER_TLS_CACERT",
    "CONFIG_GRPC_XDS_SERVER_TLS_SAN",
    "XDS_CLIENT_BACKOFF_INITIAL_INTERVAL",
    "XDS_CLIENT_BACKOFF_MAX_INTERVAL",
    "XDS_CLIENT_BACKOFF_RANDOM_FACTOR",
    "XDS_CLIENT_BACKOFF_JITTER",
    "XDS_CLIENT_MAX_MSG_SIZE_IN_BYTES",
    "BACKEND_TYPE",
    "EXPIRATION_JITTER_MAX_SECONDS",
    "LOCAL_CACHE_SIZE_IN_BYTES",
    "NEAR_LIMIT_RATIO",
    "CACHE_KEY_PREFIX",
    "STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT",
    "SHADOW_MODE",
    "QUOTA_MODE",
    "RESPONSE_DYNAMIC_METADATA",
    "LIMIT_RESPONSE_HEADERS_ENABLED",
    "LIMIT_LIMIT_HEADER",
    "LIMIT_REMAINING_HEADER",
    "LIMIT_RESET_HEADER",
    "REDIS_PERSECOND",
    "REDIS_SOCKET_TYPE",
    "REDIS_PERSECOND_SOCKET_TYPE",
    "REDIS_TYPE",
    "REDIS_PERSECOND_TYPE",
    "REDIS_URL",
    "REDIS_PERSECOND_URL",
    "REDIS_POOL_SIZE",
    "REDIS_PERSECOND_POOL_SIZE",
    "REDIS_AUTH",
    "REDIS_PERSECOND_AUTH",
    "REDIS_SENTINEL_AUTH",
    "REDIS_PERSECOND_SENTINEL_AUTH",
    "REDIS_TLS",
    "REDIS_PERSECOND_TLS",
    "REDIS_PIPELINE_WINDOW",
    "REDIS_PERSECOND_PIPELINE_WINDOW",
    "REDIS_PIPELINE_LIMIT",
    "REDIS_PERSECOND_PIPELINE_LIMIT",
    "REDIS_CLUSTER_PIPELINE_PARALLELISM",
    "REDIS_PERSECOND_CLUSTER_PIPELINE_PARALLELISM",
    "REDIS_TIMEOUT",
    "REDIS_PERSECOND_TIMEOUT",
    "REDIS_POOL_ON_EMPTY_BEHAVIOR",
    "REDIS_PERSECOND_POOL_ON_EMPTY_BEHAVIOR",
    "REDIS_TLS_CLIENT_CERT",
    "REDIS_TLS_CLIENT_KEY",
    "REDIS_TLS_CACERT",
    "REDIS_TLS_SKIP_HOSTNAME_VERIFICATION",
    "REDIS_HEALTH_CHECK_ACTIVE_CONNECTION",
    "REDIS_STARTUP_INITIAL_INTERVAL",
    "REDIS_STARTUP_MAX_INTERVAL",
    "REDIS_STARTUP_MAX_ELAPSED_TIME",
    "REDIS_CLOSE_CONNECTION_ON_READONLY_ERROR",
    "USE_CALENDAR_MONTH_RATE_LIMIT",
    "MEMCACHE_HOST_PORT",
    "MEMCACHE_SRV",
    "MEMCACHE_SRV_REFRESH",
    "MEMCACHE_MAX_IDLE_CONNS",
    "MEMCACHE_TLS",
    "MEMCACHE_TLS_CLIENT_CERT",
    "MEMCACHE_TLS_CLIENT_KEY",
    "MEMCACHE_TLS_CACERT",
    "MEMCACHE_TLS_SKIP_HOSTNAME_VERIFICATION",
    "USE_STATSD",
    "STATSD_HOST",
    "STATSD_PORT",
    "STATSD_PROTOCOL",
    "USE_DOG_STATSD",
    "USE_DOG_STATSD_MOGRIFIERS",
    "DOG_STATSD_MOGRIFIERS",
    "DOG_STATSD_MOGRIFIER_TAG_PATTERN",
    "DOG_STATSD_MOGRIFIER_TAG_NAME",
    "DOG_STATSD_MOGRIFIER_TAG_TAGS",
    "USE_PROMETHEUS",
    "PROMETHEUS_ADDR",
    "PROMETHEUS_PATH",
    "PROMETHEUS_MAPPER_YAML",
    "PROMETHEUS_RESPONSE_TIME_AS_MILLISECONDS",
    "DISABLE_STATS",
    "EXTRA_TAGS",
    "STATS_FLUSH_INTERVAL",
    "TRACING_ENABLED",
    "TRACING_EXPORTER_PROTOCOL",
    "TRACING_SERVICE_NAME",
    "TRACING_SERVICE_NAMESPACE",
    "TRACING_SERVICE_INSTANCE_ID",
    "TRACING_SAMPLING_RATE",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "LOG_LEVEL",
    "LOG_FORMAT",
};

// A value of the variable's type that is not its harmless one.
std::string SomeValue(const EnvVariable& variable) {
  switch (variable.type) {
    case EnvVariable::Type::kBool:
      return "true";
    case EnvVariable::Type::kInt:
    case EnvVariable::Type::kFloat:
      return "7";
    case EnvVariable::Type::kDuration:
      return "7s";
    case EnvVariable::Type::kMap:
      return "k:v";
    case EnvVariable::Type::kText:
      break;
  }
  return variable.name == "BACKEND_TYPE" ? "redis" : "secret";
}

TEST(FromEnvTest, TheTableHasEveryVariableOfTheReferenceService) {
  std::set<std::string_view> reached;
  for (const std::string& name : kAllNames) {
    const EnvVariable* const variable = FindEnvVariable(name);
    ASSERT_NE(variable, nullptr) << name;
    reached.insert(variable->name);
  }
  for (const EnvVariable& variable : EnvVariables()) {
    EXPECT_TRUE(reached.count(variable.name)) << variable.name << " is missing in this test";
    EXPECT_FALSE(variable.text.empty()) << variable.name;
  }
  EXPECT_EQ(FindEnvVariable("PATH"), nullptr);
  EXPECT_EQ(FindEnvVariable("REDIS_PORT"), nullptr);
}

TEST(FromEnvTest, EveryVariableThatIsNotHonouredIsNamedInAWarning) {
  for (const std::string& name : kAllNames) {
    const EnvVariable& variable = *FindEnvVariable(name);
    if (variable.treatment == Treatment::kHonoured) continue;
    const FromEnvironmentResult result = FromEnvironment({{name, SomeValue(variable)}});
    EXPECT_TRUE(result.ok()) << name;
    ASSERT_EQ(result.warnings.size(), 1U) << name;
    EXPECT_THAT(result.warnings[0].names, ElementsAre(name));
    EXPECT_EQ(result.warnings[0].text, variable.text);
    EXPECT_EQ(result.warnings[0].line().find("secret"), std::string::npos);
  }
}

TEST(FromEnvTest, AskingForWhatIsSoAnywayDrawsNoWarning) {
  for (const EnvVariable& variable : EnvVariables()) {
    if (variable.harmless.empty()) continue;
    EXPECT_THAT(
        FromEnvironment({{std::string(variable.name), std::string(variable.harmless)}}).warnings,
        IsEmpty())
        << variable.name;
  }
  EXPECT_THAT(FromEnvironment({{"USE_STATSD", "F"}}).warnings, IsEmpty());
}

TEST(FromEnvTest, AMalformedValueIsAnErrorWithTheVariablesName) {
  for (const std::string& name : kAllNames) {
    const EnvVariable& variable = *FindEnvVariable(name);
    if (variable.type == EnvVariable::Type::kText) continue;
    const FromEnvironmentResult bad = FromEnvironment({{name, "no such thing"}});
    EXPECT_THAT(NamesIn(bad.errors), ElementsAre(name));
    if (variable.type == EnvVariable::Type::kMap) continue;
    const FromEnvironmentResult empty = FromEnvironment({{name, ""}});
    ASSERT_EQ(empty.errors.size(), 1U) << name;
    EXPECT_THAT(empty.errors[0].line(), HasSubstr(name + ": is set, but empty"));
  }
}

TEST(FromEnvTest, AnEmptyEnvironmentIsTheReferencesDefaults) {
  const FromEnvironmentResult result = FromEnvironment({});
  EXPECT_TRUE(result.ok());
  EXPECT_THAT(result.warnings, IsEmpty());
  const EnvironmentSettings& s = result.settings;
  EXPECT_EQ(s.grpc, "0.0.0.0:8081");
  EXPECT_EQ(s.http, "0.0.0.0:8080");
  EXPECT_EQ(s.admin, "127.0.0.1:6070");
  EXPECT_FALSE(s.grpc_tls);
  EXPECT_EQ(s.max_connection_age, Duration(std::chrono::hours(24)));
  EXPECT_EQ(s.max_connection_age_grace, Duration(std::chrono::hours(1)));
  EXPECT_EQ(s.policy.path, "/srv/runtime_data/current/config");
  EXPECT_EQ(s.policy.root, "/srv/runtime_data/current/");
  EXPECT_EQ(s.policy.layout, PolicyLayout::kRuntime);
  EXPECT_FALSE(s.policy.ignore_dot_files);
  EXPECT_FALSE(s.calendar_months);
  EXPECT_FALSE(s.policy_named);
  EXPECT_EQ(static_cast<float>(s.near_limit_ratio), 0.8F);
  EXPECT_EQ(s.response.reference_names.limit, "RateLimit-Limit");
  EXPECT_EQ(s.log_level, LogLevel::kWarn);
}

TEST(FromEnvTest, ListenersTakeHostAndPort) {
  const EnvironmentSettings s = Read({{"HOST", "127.0.0.1"},
                                      {"PORT", "0x1F90"},
                                      {"GRPC_HOST", "::1"},
                                      {"GRPC_PORT", "9081"},
                                      {"DEBUG_HOST", "localhost"},
                                      {"DEBUG_PORT", "9070"}});
  EXPECT_EQ(s.http, "127.0.0.1:8080");
  EXPECT_EQ(s.grpc, "[::1]:9081");
  EXPECT_EQ(s.admin, "127.0.0.1:9070");
  EXPECT_EQ(Read({{"HOST", ""}}).http, ":8080");
  EXPECT_EQ(Read({{"GRPC_UDS", "/run/rl.sock"}}).grpc, "unix:/run/rl.sock");
}

TEST(FromEnvTest, HostsAreAddressesAndPortsHave16Bits) {
  EXPECT_THAT(NamesIn(FromEnvironment({{"HOST", "rls.example"}}).errors), ElementsAre("HOST"));
  EXPECT_THAT(NamesIn(FromEnvironment({{"GRPC_PORT", "65536"}}).errors), ElementsAre("GRPC_PORT"));
  // What Kubernetes injects beside a Service named "grpc".
  EXPECT_THAT(NamesIn(FromEnvironment({{"GRPC_PORT", "tcp://10.0.0.1:80"}}).errors),
              ElementsAre("GRPC_PORT"));
}

TEST(FromEnvTest, ConnectionsHaveAnAge) {
  const EnvironmentSettings s =
      Read({{"GRPC_MAX_CONNECTION_AGE", "1h30m"}, {"GRPC_MAX_CONNECTION_AGE_GRACE", "0"}});
  EXPECT_EQ(s.max_connection_age, Duration(std::chrono::minutes(90)));
  EXPECT_EQ(s.max_connection_age_grace, Duration{});
  EXPECT_FALSE(FromEnvironment({{"GRPC_MAX_CONNECTION_AGE", "-1s"}}).ok());
}

TEST(FromEnvTest, TlsNeedsItsFiles) {
  const EnvironmentSettings s = Read({{"GRPC_SERVER_USE_TLS", "true"},
                                      {"GRPC_SERVER_TLS_CERT", "/tls/a.pem"},
                                      {"GRPC_SERVER_TLS_KEY", "/tls/a.key"},
                                      {"GRPC_CLIENT_TLS_CACERT", "/tls/ca.pem"},
                                      {"GRPC_CLIENT_TLS_SAN", "envoy.example"}});
  EXPECT_TRUE(s.grpc_tls);
  EXPECT_EQ(s.tls.certificate_file, "/tls/a.pem");
  EXPECT_EQ(s.tls.key_file, "/tls/a.key");
  EXPECT_EQ(s.tls.client_ca_file, "/tls/ca.pem");
  EXPECT_EQ(s.tls.client_san, "envoy.example");
  EXPECT_THAT(NamesIn(FromEnvironment({{"GRPC_SERVER_USE_TLS", "1"}}).errors),
              ElementsAre("GRPC_SERVER_TLS_CERT", "GRPC_SERVER_TLS_KEY"));
  EXPECT_THAT(NamesIn(FromEnvironment({{"GRPC_SERVER_TLS_CERT", "/tls/a.pem"}}).warnings),
              ElementsAre("GRPC_SERVER_TLS_CERT"));
}

TEST(FromEnvTest, ThePolicyDirectoryHasThreeParts) {
  const FromEnvironmentResult result = FromEnvironment({{"RUNTIME_ROOT", "/data"},
                                                        {"RUNTIME_SUBDIRECTORY", "ratelimit"},
                                                        {"RUNTIME_APPDIRECTORY", "rules"},
                                                        {"RUNTIME_IGNOREDOTFILES", "true"},
                                                        {"RUNTIME_WATCH_ROOT", "false"},
                                                        {"MERGE_DOMAIN_CONFIG", "true"}});
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_EQ(result.settings.policy.path, "/data/ratelimit/rules");
  EXPECT_EQ(result.settings.policy.root, "");
  EXPECT_TRUE(result.settings.policy.ignore_dot_files);
  EXPECT_TRUE(result.settings.policy_named);
  EXPECT_TRUE(result.settings.merge_domains);
}

TEST(FromEnvTest, AWatchedRootIsWhereFilesAreNamedFrom) {
  const EnvironmentSettings s = Read({{"RUNTIME_ROOT", "/data"},
                                      {"RUNTIME_SUBDIRECTORY", "ratelimit"},
                                      {"RUNTIME_APPDIRECTORY", "rules"}});
  EXPECT_EQ(s.policy.path, "/data/ratelimit/rules");
  EXPECT_EQ(s.policy.root, "/data/ratelimit");
}

TEST(FromEnvTest, MonthsMayBeTheCalendars) {
  EXPECT_TRUE(Read({{"USE_CALENDAR_MONTH_RATE_LIMIT", "true"}}).calendar_months);
}

TEST(FromEnvTest, SaysThatTheReferenceWouldReadNothingWithoutASubdirectory) {
  const FromEnvironmentResult result = FromEnvironment({{"RUNTIME_ROOT", "/data"}});
  EXPECT_EQ(result.settings.policy.path, "/data/config");
  EXPECT_THAT(NamesIn(result.warnings), ElementsAre("RUNTIME_SUBDIRECTORY"));
}

TEST(FromEnvTest, RulesFromElsewhereStopTheStart) {
  EXPECT_TRUE(FromEnvironment({{"CONFIG_TYPE", "FILE"}}).ok());
  EXPECT_THAT(NamesIn(FromEnvironment({{"CONFIG_TYPE", "GRPC_XDS_SOTW"}}).errors),
              ElementsAre("CONFIG_TYPE"));
}

TEST(FromEnvTest, AnswersFollowTheReferencesSwitches) {
  const EnvironmentSettings s = Read({{"NEAR_LIMIT_RATIO", "0.5"},
                                      {"CACHE_KEY_PREFIX", "eu:"},
                                      {"SHADOW_MODE", "T"},
                                      {"QUOTA_MODE", "1"},
                                      {"RESPONSE_DYNAMIC_METADATA", "true"},
                                      {"LIMIT_RESPONSE_HEADERS_ENABLED", "true"},
                                      {"LIMIT_LIMIT_HEADER", "x-limit"},
                                      {"LIMIT_REMAINING_HEADER", "x-left"},
                                      {"LIMIT_RESET_HEADER", "x-reset"}});
  EXPECT_EQ(s.near_limit_ratio, 0.5);
  EXPECT_EQ(s.key_prefix, "eu:");
  EXPECT_TRUE(s.response.global_shadow);
  EXPECT_TRUE(s.response.global_quota);
  EXPECT_TRUE(s.response.dynamic_metadata);
  EXPECT_TRUE(s.response.reference_headers);
  EXPECT_EQ(s.response.reference_names.limit, "x-limit");
  EXPECT_EQ(s.response.reference_names.remaining, "x-left");
  EXPECT_EQ(s.response.reference_names.reset, "x-reset");
  EXPECT_FALSE(FromEnvironment({{"LIMIT_RESET_HEADER", ""}}).ok());
  EXPECT_FALSE(FromEnvironment({{"LIMIT_RESET_HEADER", "a\r\nb"}}).ok());
}

TEST(FromEnvTest, OverLimitKeysAreRememberedInAsManyBytesAsTheCacheMayHave) {
  EXPECT_EQ(Read({}).held_denials, 0U);
  EXPECT_EQ(Read({{"LOCAL_CACHE_SIZE_IN_BYTES", "0"}}).held_denials, 0U);
  EXPECT_EQ(Read({{"LOCAL_CACHE_SIZE_IN_BYTES", "-1"}}).held_denials, 0U);
  EXPECT_EQ(Read({{"LOCAL_CACHE_SIZE_IN_BYTES", "1048576"}}).held_denials, 32768U);
  EXPECT_EQ(Read({{"LOCAL_CACHE_SIZE_IN_BYTES", "1"}}).held_denials, 16384U);
  EXPECT_EQ(Read({{"LOCAL_CACHE_SIZE_IN_BYTES", "9223372036854775807"}}).held_denials,
            100'000'000U);
}

TEST(FromEnvTest, CountersStandStillWhenOneIsOverIfAsked) {
  EXPECT_FALSE(Read({}).stand_still_when_over);
  EXPECT_TRUE(Read({{"STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT", "true"}}).stand_still_when_over);
}

TEST(FromEnvTest, LogsHaveALevelAndAFormat) {
  const EnvironmentSettings s = Read({{"LOG_LEVEL", "Debug"}, {"LOG_FORMAT", "json"}});
  EXPECT_EQ(s.log_level, LogLevel::kDebug);
  EXPECT_TRUE(s.log_json);
  EXPECT_EQ(Read({{"LOG_LEVEL", "warning"}}).log_level, LogLevel::kWarn);
  EXPECT_THAT(NamesIn(FromEnvironment({{"LOG_LEVEL", "loud"}}).errors), ElementsAre("LOG_LEVEL"));
  EXPECT_THAT(NamesIn(FromEnvironment({{"LOG_FORMAT", "xml"}}).warnings),
              ElementsAre("LOG_FORMAT"));
}

TEST(FromEnvTest, ABackendThatTheReferenceDoesNotKnowIsAnError) {
  EXPECT_THAT(FromEnvironment({{"BACKEND_TYPE", "memcache"}}).warnings[0].text,
              HasSubstr("memcached"));
  EXPECT_FALSE(FromEnvironment({{"BACKEND_TYPE", "sqlite"}}).ok());
}

TEST(FromEnvTest, VariablesWithTheSameFateShareAWarning) {
  const FromEnvironmentResult result = FromEnvironment(
      {{"REDIS_URL", "redis:6379"}, {"REDIS_SOCKET_TYPE", "tcp"}, {"BACKEND_TYPE", "redis"}});
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_THAT(result.warnings[0].line(), HasSubstr("REDIS_SOCKET_TYPE, REDIS_URL, BACKEND_TYPE: "
                                                   "would have counted in Redis"));
}

}  // namespace
}  // namespace weir::cli
