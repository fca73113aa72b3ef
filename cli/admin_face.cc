#include "cli/admin_face.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/build_info.h"
#include "cli/server.h"
#include "observe/process_facts.h"

namespace weir::cli {

AdminFace::AdminFace(Server& server)
    : server_(server),
      started_(server.control().now().wall),
      handler_(*this, {.token = server.plan().admin_token}) {}

AdminFace::~AdminFace() {
  listener_.reset();
  connections_.reset();
}

std::string AdminFace::Listen() {
  if (server_.plan().admin.empty()) return {};
  const auto address = net::ParseAddress(server_.plan().admin);
  if (!address) return address.error().message;
  connections_ = std::make_unique<net::ConnectionSet>(
      server_.control(),
      [this](net::Transport& transport, net::Protocol) {
        return std::make_unique<net::Http1Session>(transport, handler_, http_options_);
      },
      net::ConnectionOptions{}, budget_);
  auto listener = net::Listener::Open(server_.control(), *address, {connections_.get()}, budget_);
  if (!listener) return listener.error().message;
  listener_ = *std::move(listener);
  return {};
}

std::string AdminFace::address() const {
  return listener_ ? listener_->bound().text() : std::string();
}

std::vector<const Engine*> AdminFace::engines() const {
  std::vector<const Engine*> engines;
  for (const auto& instance : server_.instances()) engines.push_back(&instance->engine());
  return engines;
}

const MemoryStore* AdminFace::store() const {
  return &server_.store();
}

observe::ServiceCounts AdminFace::counts() const {
  observe::ServiceCounts counts;
  counts.version = kVersion;
  counts.revision = kRevision;
  const LoadReport report = server_.keeper().report();
  counts.config = {.last_reload_ok = report.ok,
                   .loads_ok = report.loads,
                   .loads_failed = report.refusals,
                   .last_success = report.loaded_at};
  observe::TransportCounts grpc{.name = "grpc", .requests = 0, .decisions = {}};
  observe::TransportCounts http{.name = "http", .requests = 0, .decisions = {}};
  for (const auto& instance : server_.instances()) {
    instance->AddCounts(grpc, http, counts);
    counts.loops += instance->workers();
    counts.longest_turn = std::max(counts.longest_turn, instance->longest_turn());
  }
  counts.reference.config_load_success = report.loads;
  counts.reference.config_load_error = report.refusals;
  counts.reference.should_rate_limit_requests = grpc.requests;
  counts.reference.should_rate_limit_duration = grpc.decisions;
  counts.transports.push_back(std::move(grpc));
  counts.transports.push_back(std::move(http));
  counts.decision_log.dropped += server_.dropped_log_lines();
  AddStore(counts.store);
  counts.process = observe::ReadProcessFacts();
  counts.process.started = started_;
  return counts;
}

// Of several instances in one process, as in a demo, the first one's view of the fleet.
void AdminFace::AddStore(observe::StoreCounts& counts) const {
  const Now now = server_.control().now();
  for (const auto& instance : server_.instances()) instance->AddStoreCounts(counts);
  for (const auto& shared : server_.shared_stores()) {
    FailureState& state = shared->state();
    const NodeState& node = state.node(0);
    counts.nodes.push_back(
        {.name = shared->options().endpoint.text(),
         .open = node.breaker.Read().open,
         .times_opened = node.breaker.times_opened(),
         .open_for = node.breaker.OpenFor(now.steady),
         .clock_offset = Duration(node.clock_offset.load(std::memory_order_relaxed))});
    const SharedStore::Findings findings = shared->findings();
    for (std::size_t kind = 0; kind < findings.size(); ++kind) {
      counts.nodes.back().findings.emplace_back(NameOf(static_cast<redis::FindingKind>(kind)),
                                                findings.at(kind));
    }
    counts.timeout = state.timeout().value();
    counts.ledger_keys += state.ledger().size();
    counts.ledger_dropped += state.ledger().dropped();
    if (counts.nodes.size() > 1) continue;
    const std::shared_ptr<const FleetView> fleet = shared->fleet().view().Get();
    counts.fleet_source = NameOf(fleet->source);
    counts.live_instances = fleet->count;
    counts.fleet_frozen = fleet->frozen;
    counts.fleet_stale = shared->fleet().Stale(now.steady);
    counts.fleet_age = fleet->Age(now.steady);
  }
}

admin::PolicyReport AdminFace::policy() const {
  const LoadReport report = server_.keeper().report();
  return {.generation = report.generation,
          .fingerprint = report.fingerprint,
          .loaded_at = report.loaded_at,
          .tried_at = report.tried_at,
          .last_load_ok = report.ok,
          .error = report.error};
}

admin::Health AdminFace::health() const {
  if (server_.stopping()) return {.live = true, .ready = false, .reason = "draining"};
  return {};
}

admin::ServerFacts AdminFace::server() const {
  const ServePlan& plan = server_.plan();
  admin::ServerFacts facts{
      .version = std::string(kVersion),
      .revision = std::string(kRevision),
      .profile = plan.load.profile == Profile::kReference ? "reference" : "native",
      .workers = plan.instance.workers,
      .started = started_,
      .options = {}};
  for (const auto& instance : server_.instances()) {
    facts.options.emplace_back("listen_grpc", instance->grpc_address());
    facts.options.emplace_back("listen_http", instance->http_address());
  }
  facts.options.emplace_back("admin", address());
  facts.options.emplace_back("policy", plan.policy.path);
  facts.options.emplace_back("keys", std::to_string(plan.keys));
  facts.options.emplace_back("watch", plan.watch ? "true" : "false");
  facts.options.emplace_back("tls", plan.tls.certificate_file.empty() ? "off" : "on");
  return facts;
}

}  // namespace weir::cli
