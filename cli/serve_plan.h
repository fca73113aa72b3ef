#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/instance.h"
#include "cli/log.h"
#include "cli/policy_files.h"
#include "cli/shared_store.h"
#include "weir/config/load_options.h"
#include "weir/config/settings.h"

namespace weir::cli {

// What the command line of `weir serve` said.  Nothing: not said.
struct ServeFlags {
  std::string config;  // -c
  std::optional<std::string> profile, policy, listen_grpc, listen_http, admin, store;
  std::optional<std::string> on_store_failure, log_level, log_format;
  std::optional<std::string> tls_cert, tls_key, tls_client_ca;
  std::optional<std::uint64_t> workers, fleet_expected;
  std::optional<bool> watch, merge_domains;
  bool from_env = false;
};

// Everything `weir serve` needs to know, resolved: flag before environment before settings file
// before default.
struct ServePlan {
  PolicyLocation policy;
  LoadOptions load;
  InstanceOptions instance;
  net::TlsOptions tls;       // On if it names a certificate.
  bool tls_for_http = true;  // Not only for gRPC.
  std::string admin;
  std::string admin_token;
  std::uint64_t keys = 0;                    // Of the memory store.
  std::optional<SharedStoreOptions> shared;  // Else counts are this process's own.
  bool watch = true;
  DecisionLogSettings decision_log;
  LogOptions log;
  std::string origin;  // Which settings file, for the first log line.
  std::vector<std::string> warnings;
};

// Either a plan, or why there is none (`error`, several lines, for stderr).
struct ServeResolution {
  ServePlan plan;
  std::string error;
};

// Reads the settings file and, with `from_env`, the reference service's environment variables.
ServeResolution ResolveServe(const ServeFlags& flags);

// How many CPUs this process may use: affinity and cgroup quota, at least 1.
std::size_t UsableCpus();

}  // namespace weir::cli
