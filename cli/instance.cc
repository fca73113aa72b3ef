#include "cli/instance.h"

#include <algorithm>
#include <utility>

#include "cli/worker.h"
#include "proto/descriptors.h"

namespace weir::cli {
namespace {

// The name under which the reference service reports its health.
constexpr std::string_view kReferenceHealthName = "ratelimit";

EngineOptions WithLimiters(EngineOptions options, std::size_t limiters) {
  options.limiters = limiters;
  return options;
}

}  // namespace

Instance::Instance(const Clock& clock, net::Loop& control, Store& store, InstanceOptions options)
    : clock_(clock),
      control_(control),
      options_(std::move(options)),
      engine_(store, WithLimiters(options_.engine, options_.workers + options_.extra_limiters)),
      drain_timer_(control, [this] { closing_ ? OnDrained() : CloseDoors(); }) {
  for (const proto::DescriptorFile& file : proto::DescriptorFiles()) descriptors_.Add(file.bytes);
  for (const std::string_view name :
       {std::string_view(), rls::kServiceName, kReferenceHealthName}) {
    health_.Set(name, net::ServingStatus::kServing);
  }
  for (std::size_t i = 0; i < options_.workers; ++i) {
    workers_.push_back(
        std::make_unique<Worker>(clock_, options_, i, engine_, health_, descriptors_, budget_));
  }
}

Instance::~Instance() {
  grpc_.reset();
  http_.reset();
  workers_.clear();
}

std::string Instance::Listen() {
  for (const bool grpc : {true, false}) {
    const std::string& where = grpc ? options_.grpc : options_.http;
    if (where.empty()) continue;
    if (std::string error = Open(where, grpc); !error.empty()) return error;
  }
  return {};
}

std::string Instance::Open(const std::string& where, bool grpc) {
  const auto address = net::ParseAddress(where);
  if (!address) return address.error().message;
  std::vector<net::ConnectionSet*> sets;
  for (const auto& worker : workers_) sets.push_back(grpc ? &worker->grpc() : &worker->http());
  auto listener = net::Listener::Open(control_, *address, std::move(sets), budget_);
  if (!listener) return listener.error().message;
  (grpc ? grpc_ : http_) = *std::move(listener);
  return {};
}

std::string Instance::grpc_address() const {
  return grpc_ ? grpc_->bound().text() : std::string();
}
std::string Instance::http_address() const {
  return http_ ? http_->bound().text() : std::string();
}

void Instance::Drain(std::function<void()> done) {
  drained_ = std::move(done);
  health_.SetAll(net::ServingStatus::kNotServing);
  drain_timer_.Set(control_.now().steady + options_.drain_notice);
}

void Instance::CloseDoors() {
  closing_ = true;
  grpc_.reset();
  http_.reset();
  open_sets_ = 2 * workers_.size();
  drain_timer_.Set(control_.now().steady + options_.drain_limit);
  for (const auto& worker : workers_) {
    worker->Drain([this] {
      control_.Post([this] {
        if (--open_sets_ == 0) OnDrained();
      });
    });
  }
}

void Instance::OnDrained() {
  drain_timer_.Cancel();
  if (drained_) std::exchange(drained_, nullptr)();
}

Duration Instance::longest_turn() const {
  Duration longest{};
  for (const auto& worker : workers_) longest = std::max(longest, worker->loop().longest_turn());
  return longest;
}

void Instance::AddCounts(observe::TransportCounts& grpc, observe::TransportCounts& http,
                         observe::ServiceCounts& counts) const {
  for (const auto& worker : workers_) {
    const rls::ServiceCounters& c = worker->service().counters();
    grpc.requests += c.requests.Read();
    grpc.decisions += worker->grpc_observer().took();
    http.requests += worker->http_observer().decisions();
    const observe::DecisionLogCounts log = worker->log_counts();
    counts.decision_log.written += log.written;
    counts.decision_log.dropped += log.dropped;
    counts.reference.service_errors += c.refused.Read();
    counts.reference.global_shadow_mode += c.global_shadow.Read();
  }
}

void Instance::AddStoreCounts(observe::StoreCounts& counts) const {
  for (const auto& worker : workers_) {
    const LoopStore* const store = worker->shared_store();
    if (store == nullptr) continue;
    const FailureCounts& c = store->counts();
    counts.calls += store->calls();
    counts.checks += store->checks();
    counts.late_calls += c.late_calls.Read();
    counts.late_answers += c.late_answers.Read();
    counts.ambiguous += c.ambiguous.Read();
    counts.give_backs_lost += c.give_backs_lost.Read();
    counts.hand_backs += c.hand_backs.Read();
    counts.hand_backs_lost += c.hand_backs_lost.Read();
    counts.probes += c.probes.Read();
  }
}

}  // namespace weir::cli
