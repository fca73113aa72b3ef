#pragma once

#include <string>
#include <vector>

#include "cli/environment.h"
#include "cli/policy_files.h"
#include "net/tls.h"
#include "weir/answer/rate_limit_response.h"
#include "weir/base/clock.h"

namespace weir::cli {

// How much is logged; LOG_LEVEL's words.
enum class LogLevel : std::uint8_t { kTrace, kDebug, kInfo, kWarn, kError, kFatal, kPanic };

// What the environment variables of envoyproxy/ratelimit come to.  A variable that is not set
// leaves that service's default, which is what stands here.
struct EnvironmentSettings {
  // As net::ParseAddress() reads them.
  std::string grpc = "0.0.0.0:8081";
  std::string http = "0.0.0.0:8080";
  // 127.0.0.1 unless DEBUG_HOST says otherwise: the one default that is not the reference's.
  std::string admin = "127.0.0.1:6070";
  // For the gRPC address only; the reference service speaks plain HTTP.
  bool grpc_tls = false;
  net::TlsOptions tls;  // Its files and name; complete if grpc_tls.
  // For net::Http2Options: zero means never, and all the time they need.
  Duration max_connection_age = std::chrono::hours(24);
  Duration max_connection_age_grace = std::chrono::hours(1);

  // RUNTIME_ROOT/RUNTIME_SUBDIRECTORY/RUNTIME_APPDIRECTORY, read as that service reads it.
  PolicyLocation policy{"/srv/runtime_data/current/config", PolicyLayout::kRuntime, false};
  bool policy_named = false;  // One of the three was set.
  bool merge_domains = false;

  double near_limit_ratio = 0.8F;
  bool calendar_months = false;
  std::string key_prefix;  // These three are for EngineOptions.
  std::uint64_t held_denials = 0;
  bool stand_still_when_over = false;
  ResponseOptions response;  // Only the switches of the reference profile, and dynamic_metadata.

  LogLevel log_level = LogLevel::kWarn;
  bool log_json = false;
};

// A sentence about variables that are set.
struct EnvironmentFinding {
  std::vector<std::string> names;
  std::string text;

  // "REDIS_URL, REDIS_TYPE: would have counted in Redis; ...".  No values: some are secrets.
  std::string line() const;
};

struct FromEnvironmentResult {
  EnvironmentSettings settings;
  std::vector<EnvironmentFinding> warnings;  // Set, but not honoured; see from_env_table.h.
  std::vector<EnvironmentFinding> errors;    // Any of these must stop the start.

  bool ok() const { return errors.empty(); }
};

// Pure.  Variables that the reference service does not know are not looked at.  A malformed value
// is an error that names the variable, also where the variable would have no effect: the reference
// service would not start with it either.
FromEnvironmentResult FromEnvironment(const Environment& environment);

}  // namespace weir::cli
