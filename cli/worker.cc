#include "cli/worker.h"

#include "weir/base/hash.h"

namespace weir::cli {

Worker::Worker(const Clock& clock, const InstanceOptions& options, std::size_t number,
               Engine& engine, net::HealthStatus& health, const net::DescriptorFiles& descriptors,
               net::ConnectionBudget& budget)
    : thread_(clock) {
  thread_.Call([&] { Build(options, number, engine, health, descriptors, budget); });
}

void Worker::Build(const InstanceOptions& options, std::size_t number, Engine& engine,
                   net::HealthStatus& health, const net::DescriptorFiles& descriptors,
                   net::ConnectionBudget& budget) {
  net::Loop& loop = thread_.loop();
  if (options.shared != nullptr) {
    store_ = std::make_unique<LoopStore>(loop, *options.shared, number);
  }
  limiter_ = std::make_unique<Limiter>(engine, number, store_ ? store_->store() : engine.store());
  adopt_policy_ = std::make_unique<net::TurnHook>(loop, net::TurnHook::When::kStart,
                                                  [this] { limiter_->BeginTurn(); });
  poll_store_ = std::make_unique<net::Timer>(loop, [this] { Poll(); });
  if (store_) {
    // Behind the turn's sockets: an answer that is there in time must not count as late.
    poll_each_turn_ =
        std::make_unique<net::TurnHook>(loop, net::TurnHook::When::kEnd, [this] { Poll(); });
  }
  if (options.decision_sink != nullptr) {
    observe::DecisionLogOptions log = options.decision_log;
    log.seed += number;
    log_ = std::make_unique<observe::DecisionLog>(log, *options.decision_sink);
    flush_log_ =
        std::make_unique<net::TurnHook>(loop, net::TurnHook::When::kEnd, [this] { log_->Flush(); });
  }
  grpc_observer_ = std::make_unique<FaceObserver>(loop.clock(), log_.get());
  http_observer_ = std::make_unique<FaceObserver>(loop.clock(), log_.get());
  service_ = std::make_unique<rls::RateLimitService>(loop, *limiter_, options.response,
                                                     grpc_observer_.get());
  health_ = std::make_unique<net::HealthService>(loop, health);
  reflection_ = std::make_unique<net::ReflectionService>(
      descriptors, std::vector<std::string>{std::string(rls::kServiceName), "grpc.health.v1.Health",
                                            "grpc.reflection.v1.ServerReflection",
                                            "grpc.reflection.v1alpha.ServerReflection"});
  router_ = std::make_unique<net::GrpcRouter>();
  router_->AddUnary(std::string(rls::kShouldRateLimit), *service_);
  health_->AddTo(*router_);
  reflection_->AddTo(*router_);
  api_ = std::make_unique<http_api::HttpApi>(*limiter_, options.response, options.api,
                                             http_observer_.get());

  const net::ConnectionOptions grpc_connection{.tls = options.tls};
  const net::ConnectionOptions http_connection{.tls = options.tls_for_http ? options.tls : nullptr};
  grpc_ = std::make_unique<net::ConnectionSet>(
      loop,
      [this, &options, random = MixHash(options.seed, number)](net::Transport& transport,
                                                               net::Protocol) mutable {
        random = MixHash(random, 1);
        return net::NewGrpcSession(transport, *router_, options.grpc_options, random);
      },
      grpc_connection, budget);
  http_ = std::make_unique<net::ConnectionSet>(
      loop,
      [this, &options](net::Transport& transport, net::Protocol) {
        return std::make_unique<net::Http1Session>(transport, *api_, options.http_options);
      },
      http_connection, budget);
  Poll();
}

Worker::~Worker() {
  thread_.Call([this] {
    http_.reset();
    grpc_.reset();
    poll_each_turn_.reset();
    store_.reset();  // Ends what is pending: those who wait must still be there.
    api_.reset();
    router_.reset();
    reflection_.reset();
    health_.reset();
    service_.reset();
    http_observer_.reset();
    grpc_observer_.reset();
    flush_log_.reset();
    log_.reset();
    poll_store_.reset();
    adopt_policy_.reset();
    limiter_.reset();
  });
}

void Worker::Poll() {
  poll_store_->Set(limiter_->Poll(thread_.loop().now()));
}

void Worker::Drain(const std::function<void()>& done) {
  thread_.loop().Post([this, done] {
    grpc_->Drain(done);
    http_->Drain(done);
  });
}

}  // namespace weir::cli
