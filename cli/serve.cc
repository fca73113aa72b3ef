#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "cli/log.h"
#include "cli/serve_plan.h"
#include "cli/server.h"
#include "cli/verbs.h"
#include "weir/base/system_clock.h"

namespace weir::cli {
namespace {

int Serve(const ServeFlags& flags) {
  ServeResolution resolved = ResolveServe(flags);
  if (!resolved.error.empty()) {
    std::fputs(resolved.error.c_str(), stderr);
    return kExitCannotStart;
  }
  if (!StartLog(resolved.plan.log)) {
    fmt::print(stderr, "--log-level {}: write trace, debug, info, warn or error\n",
               resolved.plan.log.level);
    return kExitCannotStart;
  }
  LogInfo(resolved.plan.origin);
  for (const std::string& warning : resolved.plan.warnings) LogWarning(warning);

  const SystemClock clock;
  Server server(clock, std::move(resolved.plan));
  if (const std::string error = server.Start(); !error.empty()) {
    fmt::print(stderr, "{}{}", error, error.back() == '\n' ? "" : "\n");
    return kExitCannotStart;
  }
  const Instance& instance = *server.instances().front();
  LogInfo(fmt::format("serving: gRPC {}, HTTP {}, admin {}, {} workers, profile {}",
                      instance.grpc_address(), instance.http_address(), server.admin_address(),
                      instance.workers(),
                      server.plan().load.profile == Profile::kReference ? "reference" : "native"));
  return server.Run();
}

}  // namespace

void AddServe(CLI::App& app, int& exit) {
  auto flags = std::make_shared<ServeFlags>();
  CLI::App* const verb = app.add_subcommand(
      "serve", "Run the decision service: Envoy's RateLimitService over gRPC, an HTTP API, admin");
  verb->add_option("-c,--config", flags->config,
                   "Settings file (default: $WEIR_CONFIG, then /etc/weir/weir.yaml)");
  verb->add_option("--policy", flags->policy, "Directory of policy files (*.yaml), or one file");
  verb->add_option("--profile", flags->profile,
                   "native, or reference: exactly as envoyproxy/ratelimit");
  verb->add_option("--listen-grpc", flags->listen_grpc, "host:port for gRPC (default :8081)");
  verb->add_option("--listen-http", flags->listen_http, "host:port for HTTP (default :8080)");
  verb->add_option("--admin", flags->admin,
                   "host:port for metrics and admin (default 127.0.0.1:6070)");
  verb->add_option("--workers", flags->workers, "Event loops (default: usable CPUs)")
      ->check(CLI::Range(1, 1024));
  verb->add_option("--store", flags->store, "memory (default), or the URL of a shared store");
  verb->add_option("--on-store-failure", flags->on_store_failure,
                   "What rules do that say nothing: open, closed, local_share, static");
  verb->add_option("--fleet-expected", flags->fleet_expected,
                   "Instances there will be; believed until the store has told how many live")
      ->check(CLI::Range(std::uint64_t{1}, kMostInstances));
  CLI::Option* const merge =
      verb->add_flag("--merge-domains,!--no-merge-domains", flags->merge_domains,
                     "Join the lists of a domain that several files define");
  CLI::Option* const watch = verb->add_flag("--watch,!--no-watch", flags->watch,
                                            "Load the policy again when it changes (default on)");
  verb->add_option("--tls-cert", flags->tls_cert,
                   "PEM certificate for the gRPC and HTTP listeners");
  verb->add_option("--tls-key", flags->tls_key, "Its key");
  verb->add_option("--tls-client-ca", flags->tls_client_ca,
                   "Clients must present a certificate of this CA");
  verb->add_option("--log-level", flags->log_level, "trace, debug, info (default), warn, error");
  verb->add_option("--log-format", flags->log_format, "text (default) or json")
      ->check(CLI::IsMember({"text", "json"}));
  verb->add_flag(
      "--from-env", flags->from_env,
      "Take the environment variables of envoyproxy/ratelimit (implies --profile reference)");
  verb->footer(
      "Example:\n  weir serve --policy ./policy --listen-grpc :8081\n"
      "SIGHUP loads the policy again; SIGTERM drains.");
  verb->callback([flags, merge, watch, &exit] {
    // CLI11 writes `false` into flags that were not given.
    if (merge->count() == 0) flags->merge_domains.reset();
    if (watch->count() == 0) flags->watch.reset();
    exit = Serve(*flags);
  });
}

}  // namespace weir::cli
