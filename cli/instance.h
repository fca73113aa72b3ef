#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http_api/http_api.h"
#include "net/address.h"
#include "net/connection_set.h"
#include "net/grpc_health.h"
#include "net/grpc_reflection.h"
#include "net/grpc_server.h"
#include "net/http1_session.h"
#include "net/listener.h"
#include "observe/decision_log.h"
#include "observe/line_queue.h"
#include "observe/service_counts.h"
#include "rls/service.h"
#include "weir/base/clock.h"
#include "weir/limiter/engine.h"

namespace weir::cli {

class SharedStore;

struct InstanceOptions {
  std::size_t workers = 1;         // Loops, each with a thread.
  std::size_t extra_limiters = 0;  // For callers inside the process; numbered after the workers'.
  std::string grpc;                // "host:port"; empty: off.
  std::string http;
  const net::TlsServer* tls = nullptr;  // Must outlive the instance.
  bool tls_for_http = true;             // Else for gRPC only.
  SharedStore* shared = nullptr;        // Null: the store handed over counts for all loops.
  EngineOptions engine;                 // `limiters` is set from the two above.
  ResponseOptions response;
  http_api::HttpApiOptions api;
  // Where decisions are logged; null: nowhere.  Must outlive the instance, and be thread-safe.
  observe::LineSink* decision_sink = nullptr;
  observe::DecisionLogOptions decision_log;
  net::GrpcOptions grpc_options;
  std::uint64_t seed = 0;  // Of what is spread by chance: the ages of connections.
  net::Http1Options http_options;
  // SIGTERM to GOAWAY: health says NOT_SERVING meanwhile, and calls are still taken, so that
  // callers who watch health leave before the door closes.
  Duration drain_notice = std::chrono::seconds(1);
  // GOAWAY to the end, for what is still in flight.
  Duration drain_limit = std::chrono::seconds(10);
};

class Worker;

// One decision service: an engine on a store, its loops, and its gRPC and HTTP listeners.  Several
// may live in a process.  Belongs to the control loop's thread.
class Instance {
 public:
  // All must outlive the instance.  Listeners are accepted on `control`.
  Instance(const Clock& clock, net::Loop& control, Store& store, InstanceOptions options);
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance();

  // Opens the listeners.  An empty text, or what went wrong and with which address.
  std::string Listen();

  // Health to NOT_SERVING, the notice, GOAWAY, and `done` once every connection has finished or the
  // limit has passed.
  void Drain(std::function<void()> done);

  Engine& engine() { return engine_; }
  // Empty where the listener is off.
  std::string grpc_address() const;
  std::string http_address() const;

  // -- for metrics; thread-safe --
  std::uint64_t connections() const { return budget_.used(); }
  Duration longest_turn() const;
  // Adds what its faces counted.
  void AddCounts(observe::TransportCounts& grpc, observe::TransportCounts& http,
                 observe::ServiceCounts& counts) const;
  std::size_t workers() const { return workers_.size(); }
  // Adds what its loops counted of their shared store; nothing without one.
  void AddStoreCounts(observe::StoreCounts& counts) const;

 private:
  std::string Open(const std::string& where, bool grpc);
  void CloseDoors();
  void OnDrained();

  const Clock& clock_;
  net::Loop& control_;
  const InstanceOptions options_;
  Engine engine_;
  net::HealthStatus health_;
  net::DescriptorFiles descriptors_;
  net::ConnectionBudget budget_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<net::Listener> grpc_;
  std::unique_ptr<net::Listener> http_;
  net::Timer drain_timer_;
  bool closing_ = false;
  std::size_t open_sets_ = 0;
  std::function<void()> drained_;
};

}  // namespace weir::cli
