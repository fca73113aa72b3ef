#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/demo_traffic.h"
#include "cli/log.h"
#include "cli/server.h"
#include "cli/verbs.h"
#include "weir/base/system_clock.h"

namespace weir::cli {
namespace {

constexpr std::size_t kInstances = 4;
constexpr int kPortStep = 10;

constexpr const char* kPolicy = R"(# The demo's policy: each tenant may send 50 requests a second.
domain: shop
weir:
  on_store_failure: local_share
descriptors:
  - key: tenant
    rate_limit:
      name: per-tenant
      unit: second
      requests_per_unit: 50
)";

struct DemoFlags {
  int port_base = 0;  // Added to every port.
  std::string admin = "127.0.0.1:6070";
  bool traffic = true;
};

// A policy needs a file, so that its findings and `src` fields have something to name.
class TemporaryPolicy {
 public:
  TemporaryPolicy()
      : directory_((std::filesystem::temp_directory_path() / "weir-demo-XXXXXX").string()) {
    if (mkdtemp(directory_.data()) != nullptr) std::ofstream(path()) << kPolicy;
  }
  TemporaryPolicy(const TemporaryPolicy&) = delete;
  TemporaryPolicy& operator=(const TemporaryPolicy&) = delete;
  ~TemporaryPolicy() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  std::string path() const { return directory_ + "/shop.yaml"; }

 private:
  std::string directory_;
};

void PrintWelcome(const Server& server, const std::string& policy) {
  const Instance& first = *server.instances().front();
  fmt::print(
      "Weir demo: {} instances around one in-memory store, 50/s per tenant (token bucket), "
      "if the store fails: local_share\n"
      "  instances  gRPC {}, +{} each; HTTP {}, +{} each; metrics http://{}/metrics; policy {}\n"
      "  traffic    acme 120/s, globex 20/s, initech 5/s over all four; Ctrl-C stops\n"
      "  try        curl -i http://{}/v1/check -d "
      "'{{\"domain\":\"shop\",\"descriptors\":[{{\"entries\":"
      "[{{\"key\":\"tenant\",\"value\":\"you\"}}]}}]}}'\n"
      "  and        weir hit --addr {} --domain shop tenant=you -n 80      # 50 OK, then "
      "OVER_LIMIT\n",
      server.instances().size(), first.grpc_address(), kPortStep, first.http_address(), kPortStep,
      server.admin_address(), policy, first.http_address(), first.grpc_address());
  std::fflush(stdout);
}

int Demo(const DemoFlags& flags) {
  StartLog({.level = "warn", .format = LogFormat::kText});
  const TemporaryPolicy policy;
  ServePlan plan;
  plan.policy.path = policy.path();
  plan.admin = flags.admin;
  if (flags.port_base != 0 && flags.admin == DemoFlags().admin) {
    plan.admin = fmt::format("127.0.0.1:{}", 6070 + flags.port_base);
  }
  plan.keys = 100'000;

  const SystemClock clock;
  Server server(clock, plan);
  for (std::size_t i = 0; i < kInstances; ++i) {
    const int offset = flags.port_base + kPortStep * static_cast<int>(i);
    InstanceOptions options;
    options.workers = 1;
    options.extra_limiters = 1;  // The traffic's.
    options.grpc = fmt::format("127.0.0.1:{}", 8081 + offset);
    options.http = fmt::format("127.0.0.1:{}", 8080 + offset);
    server.AddInstance(std::move(options));
  }
  if (const std::string error = server.Start(); !error.empty()) {
    fmt::print(stderr, "{}\nAnother program may have the port: weir demo --port-base 1000\n",
               error);
    return kExitCannotStart;
  }
  PrintWelcome(server, policy.path());
  std::unique_ptr<DemoTraffic> traffic;
  if (flags.traffic) {
    std::vector<Engine*> engines;
    for (const auto& instance : server.instances()) engines.push_back(&instance->engine());
    traffic = std::make_unique<DemoTraffic>(server.control(), engines);
  }
  return server.Run();
}

}  // namespace

void AddDemo(CLI::App& app, int& exit) {
  auto flags = std::make_shared<DemoFlags>();
  CLI::App* const verb = app.add_subcommand(
      "demo", "Run four instances around one in-memory store, with a policy and traffic");
  verb->add_option("--port-base", flags->port_base,
                   "Added to every port (gRPC 8081, HTTP 8080, admin 6070)")
      ->check(CLI::Range(0, 50'000));
  verb->add_option("--admin", flags->admin, "host:port for metrics and admin");
  verb->add_flag("--traffic,!--no-traffic", flags->traffic,
                 "Send the example's traffic (default on)");
  verb->footer("Needs nothing: no Redis, no Envoy, no configuration.");
  verb->callback([flags, &exit] { exit = Demo(*flags); });
}

}  // namespace weir::cli
