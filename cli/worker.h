#pragma once

#include <functional>

#include "cli/face_observer.h"
#include "cli/instance.h"
#include "cli/shared_store.h"
#include "net/loop_thread.h"
#include "weir/limiter/limiter.h"

namespace weir::cli {

// One loop of an instance with all that lives on it.
class Worker {
 public:
  // All must outlive the worker.
  Worker(const Clock& clock, const InstanceOptions& options, std::size_t number, Engine& engine,
         net::HealthStatus& health, const net::DescriptorFiles& descriptors,
         net::ConnectionBudget& budget);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  net::ConnectionSet& grpc() { return *grpc_; }
  net::ConnectionSet& http() { return *http_; }
  net::Loop& loop() { return thread_.loop(); }
  const rls::RateLimitService& service() const { return *service_; }
  const FaceObserver& grpc_observer() const { return *grpc_observer_; }
  const FaceObserver& http_observer() const { return *http_observer_; }
  // Zeroes without a decision log.
  observe::DecisionLogCounts log_counts() const {
    return log_ ? log_->counts() : observe::DecisionLogCounts{};
  }

  // Null without a shared store.  Its counts may be read from any thread.
  const LoopStore* shared_store() const { return store_.get(); }

  // Drains both sets; `done` is called twice, on this worker's loop.
  void Drain(const std::function<void()>& done);

 private:
  void Build(const InstanceOptions& options, std::size_t number, Engine& engine,
             net::HealthStatus& health, const net::DescriptorFiles& descriptors,
             net::ConnectionBudget& budget);
  void Poll();

  net::LoopThread thread_;
  // In the order of use; destroyed in reverse, on the loop.
  std::unique_ptr<LoopStore> store_;  // Null: the engine's.
  std::unique_ptr<Limiter> limiter_;
  std::unique_ptr<net::TurnHook> adopt_policy_;
  std::unique_ptr<net::Timer> poll_store_;
  std::unique_ptr<net::TurnHook> poll_each_turn_;  // Of a shared store only.
  std::unique_ptr<observe::DecisionLog> log_;
  std::unique_ptr<net::TurnHook> flush_log_;
  std::unique_ptr<FaceObserver> grpc_observer_;
  std::unique_ptr<FaceObserver> http_observer_;
  std::unique_ptr<rls::RateLimitService> service_;
  std::unique_ptr<net::HealthService> health_;
  std::unique_ptr<net::ReflectionService> reflection_;
  std::unique_ptr<net::GrpcRouter> router_;
  std::unique_ptr<http_api::HttpApi> api_;
  std::unique_ptr<net::ConnectionSet> grpc_;
  std::unique_ptr<net::ConnectionSet> http_;
};

}  // namespace weir::cli
