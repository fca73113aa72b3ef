#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/grpc_server.h"
#include "net/loop.h"
#include "rls/decode.h"
#include "weir/answer/rate_limit_response.h"
#include "weir/limiter/decision_observer.h"
#include "weir/limiter/limiter.h"

namespace weir::rls {

inline constexpr std::string_view kServiceName = "envoy.service.ratelimit.v3.RateLimitService";
inline constexpr std::string_view kShouldRateLimit =
    "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

// What the service counts beside what the limiter does.  One writer, any readers.
struct ServiceCounters {
  CounterCell requests;
  CounterCell refused;        // Calls that failed: no domain, no descriptors, not a request.
  CounterCell global_shadow;  // Answers turned OK by ResponseOptions::global_shadow.
};

// ShouldRateLimit for one loop: every call of a read is decoded and matched as it comes, all are
// charged together, and answered in one send.
//
// Fails, with the reference service's words, a request without a domain or without descriptors:
// UNKNOWN in the reference profile, as there, INVALID_ARGUMENT in the native one.  Bytes that are
// not a request: INTERNAL.
class RateLimitService final : public net::UnaryHandler {
 public:
  // All must outlive the service; the limiter is the loop's.  `observer` may be null.
  RateLimitService(net::Loop& loop, Limiter& limiter, const ResponseOptions& options,
                   DecisionObserver* observer = nullptr);
  ~RateLimitService() override;

  void OnCall(net::GrpcCall& call, std::span<const std::uint8_t> message) override;
  void OnBatchEnd() override;

  const ServiceCounters& counters() const { return counters_; }

 private:
  class Job;

  void Refuse(net::GrpcCall& call, std::string_view why);
  void Finish(Job& job);

  net::Loop& loop_;
  Limiter& limiter_;
  DecisionObserver* const observer_;
  const bool keep_texts_;  // Whether answers or the log repeat what was asked.
  ResponseComposer composer_;
  ServiceCounters counters_;
  std::string bytes_;
  std::vector<Check*> batch_;
  std::vector<Job*> idle_;
  std::vector<std::unique_ptr<Job>> jobs_;
};

}  // namespace weir::rls
