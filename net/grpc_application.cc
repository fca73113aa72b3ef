#include "net/grpc_application.h"

#include <algorithm>
#include <utility>

#include "net/connection_age.h"
#include "net/grpc_exchange.h"

namespace weir::net {

void GrpcRouter::AddUnary(std::string path, UnaryHandler& handler) {
  routes_[std::move(path)] = {.unary = &handler, .stream = nullptr};
}

void GrpcRouter::AddStream(std::string path, StreamHandler& handler) {
  routes_[std::move(path)] = {.unary = nullptr, .stream = &handler};
}

const GrpcRouter::Route* GrpcRouter::Find(std::string_view path) const {
  const auto found = routes_.find(path);
  return found == routes_.end() ? nullptr : &found->second;
}

std::string GrpcRouter::Missing(std::string_view path) const {
  const std::size_t slash = path.rfind('/');
  if (slash == 0 || slash == std::string_view::npos || path.front() != '/') {
    return "malformed method name: \"" + std::string(path) + "\"";
  }
  const std::string_view service = path.substr(0, slash + 1);
  const std::string shown(service.substr(1, slash - 1));
  const auto near = routes_.lower_bound(service);
  if (near == routes_.end() || !near->first.starts_with(service)) {
    return "unknown service " + shown;
  }
  return "unknown method " + std::string(path.substr(slash + 1)) + " for service " + shown;
}

std::unique_ptr<Session> NewGrpcSession(Transport& transport, const GrpcRouter& router,
                                        const GrpcOptions& options,
                                        std::optional<std::uint64_t> random) {
  const Duration age = options.http2.max_age;
  return std::make_unique<Http2Session>(
      transport, options.http2, random ? AgeOf(age, *random) : age,
      std::make_unique<GrpcApplication>(transport, router, options));
}

GrpcApplication::GrpcApplication(Transport& transport, const GrpcRouter& router,
                                 const GrpcOptions& options)
    : transport_(transport), router_(router), options_(options) {}

GrpcApplication::~GrpcApplication() {
  std::vector<GrpcExchange*> live;
  live.swap(live_);
  for (GrpcExchange* exchange : live) exchange->Abandon();
}

Http2Exchange& GrpcApplication::NewExchange(Http2Session& session) {
  if (idle_.empty()) idle_.push_back(std::make_unique<GrpcExchange>(*this));
  GrpcExchange* exchange = idle_.back().release();
  idle_.pop_back();
  exchange->Begin(session, live_.size());
  live_.push_back(exchange);
  return *exchange;
}

void GrpcApplication::Recycle(GrpcExchange& exchange) {
  GrpcExchange* last = live_.back();
  live_[exchange.place()] = last;
  last->set_place(exchange.place());
  live_.pop_back();
  if (borrowed_ == &exchange) borrowed_ = nullptr;
  idle_.emplace_back(&exchange);
}

const GrpcRouter::Route* GrpcApplication::FindRoute(std::string_view path) {
  if (last_route_ != nullptr && path == last_path_) return last_route_;
  const GrpcRouter::Route* route = router_.Find(path);
  if (route != nullptr) {
    last_path_ = path;
    last_route_ = route;
  }
  return route;
}

void GrpcApplication::BatchFor(UnaryHandler& handler) {
  if (!batches_.empty() && batches_.back() == &handler) return;
  if (std::find(batches_.begin(), batches_.end(), &handler) != batches_.end()) return;
  batches_.push_back(&handler);
}

bool GrpcApplication::Buffer(std::size_t bytes) {
  buffered_ += bytes;
  return buffered_ <= options_.max_buffered;
}

void GrpcApplication::OnReadEnd() {
  for (UnaryHandler* handler : batches_) handler->OnBatchEnd();
  batches_.clear();
  if (borrowed_ != nullptr) std::exchange(borrowed_, nullptr)->KeepBorrowed();
  const Instant before = next_deadline_;
  for (const GrpcExchange* exchange : awaited_) {
    if (exchange->pending()) next_deadline_ = std::min(next_deadline_, exchange->deadline());
  }
  awaited_.clear();
  if (next_deadline_ < before) transport_.Wake();
}

Instant GrpcApplication::OnTime() {
  const Instant now = transport_.now().steady;
  if (now < next_deadline_) return next_deadline_;
  next_deadline_ = kNever;
  // From the back: a call that ends gives its place to the last one.
  for (std::size_t i = live_.size(); i-- > 0;) {
    if (i >= live_.size()) continue;
    GrpcExchange& exchange = *live_[i];
    if (!exchange.pending()) continue;
    if (exchange.deadline() <= now) {
      exchange.OnDeadline();
    } else {
      next_deadline_ = std::min(next_deadline_, exchange.deadline());
    }
  }
  return next_deadline_;
}

}  // namespace weir::net
