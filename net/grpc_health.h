#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/grpc_server.h"
#include "net/loop.h"

namespace weir::net {

// Values of grpc.health.v1.HealthCheckResponse.ServingStatus.
enum class ServingStatus : std::uint8_t {
  kUnknown = 0,
  kServing = 1,
  kNotServing = 2,
  kServiceUnknown = 3,  // Only in answers to Watch.
};

// What the process says about its services; "" is the process as a whole.  Shared by all loops.
// Thread-safe.
class HealthStatus {
 public:
  void Set(std::string_view service, ServingStatus status);
  // Of every name known so far: what a drain does first.
  void SetAll(ServingStatus status);

  // Nothing if the name was never set.
  std::optional<ServingStatus> Get(std::string_view service) const;
  std::map<std::string, ServingStatus> All() const;

  // `changed` is called after every change, on the thread that made it.  Returns what Unsubscribe()
  // takes; once that has returned, `changed` is not called any more.
  std::uint64_t Subscribe(std::function<void()> changed);
  void Unsubscribe(std::uint64_t subscription);

 private:
  void Tell();

  mutable std::mutex mutex_;
  std::map<std::string, ServingStatus, std::less<>> statuses_;  // Guarded by mutex_.
  std::mutex subscribers_mutex_;
  std::map<std::uint64_t, std::function<void()>> subscribers_;  // Guarded by subscribers_mutex_.
  std::uint64_t next_ = 1;                                      // So is this.
};

// grpc.health.v1.Health on one loop: Check, List, and Watch, whose streams follow every change.
//
// Check of an unknown name fails with NOT_FOUND; Watch of one says SERVICE_UNKNOWN and stays open
// until the name is known.  Names match exactly.  Belongs to the loop's thread.
class HealthService {
 public:
  // Both must outlive the service; it must outlive its router's connections.
  HealthService(Loop& loop, HealthStatus& status);
  HealthService(const HealthService&) = delete;
  HealthService& operator=(const HealthService&) = delete;
  ~HealthService();

  void AddTo(GrpcRouter& router);

 private:
  class Check;
  class List;
  class Watch;
  class Watcher;

  void OnChange();

  HealthStatus& status_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::uint64_t subscription_;
  std::unique_ptr<Check> check_;
  std::unique_ptr<List> list_;
  std::unique_ptr<Watch> watch_;
  std::vector<Watcher*> watchers_;
};

}  // namespace weir::net
