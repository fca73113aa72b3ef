#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "net/loop.h"
#include "net/tls_client.h"
#include "redis/endpoint.h"
#include "redis/heartbeat.h"
#include "redis/redis_store.h"
#include "weir/failure/failing_store.h"
#include "weir/failure/held_denials.h"
#include "weir/fleet/live_count.h"

namespace weir::cli {

// Which store instances share, and what this one does without it.
struct SharedStoreOptions {
  redis::Endpoint endpoint;
  redis::RedisStoreOptions redis;
  FailureOptions failure;              // `fleet`, `held` and `switches` are set by SharedStore.
  LiveCountOptions fleet;              // `self` must be unlike any other instance's.
  redis::HeartbeatOptions heartbeat;   // Where `fleet` counts those; key and id are set here.
  std::size_t held_denials = 100'000;  // 0: none are remembered.
};

// What all loops of an instance share of its shared store: what is known of its nodes, of the
// fleet, and of the outage.  Says in the log, in one line each, when a node is lost or found, when
// its part is taken by another server (its breaker then starts anew), and when a survey finds
// something or no longer does.
//
// Thread-safe, but for Start().
class SharedStore final : public redis::RedisStoreObserver {
 public:
  // `clock` must outlive it.
  SharedStore(const Clock& clock, SharedStoreOptions options);
  ~SharedStore() override;

  // Reads certificates.  An empty text, or what went wrong.
  std::string Start();

  FailureState& state() { return *state_; }
  LiveCount& fleet() { return fleet_; }
  const SharedStoreOptions& options() const { return options_; }
  const net::TlsClient* tls() const { return tls_.get(); }

  // For the log: breakers that opened or closed since the last call.  By one thread.
  void TellBreakers(const Now& now);

  // For the log: what one heartbeat said; see redis::Heartbeat::Told.
  void ToldFleet(Cause cause, std::string_view why, std::string_view advice);

  void OnNodeUp(NodeId node, const redis::ServerAddress& server,
                const redis::ServerFacts& facts) override;
  void OnNodeDown(NodeId node, const redis::ServerAddress& server, Cause cause,
                  std::string_view why) override;
  void OnAlert(NodeId node, Cause cause, std::string_view text, std::string_view advice) override;
  void OnSurvey(NodeId node, const std::vector<redis::Finding>& findings) override;

  // By FindingKind: whether the latest survey of any node found it.
  using Findings = std::array<bool, redis::kFindingKinds>;
  Findings findings() const;

 private:
  const Clock& clock_;
  SharedStoreOptions options_;
  LiveCount fleet_;
  std::unique_ptr<HeldDenials> denials_;
  std::unique_ptr<FailureState> state_;
  std::unique_ptr<net::TlsClient> tls_;

  mutable std::mutex saying_;
  std::array<redis::ServerAddress, FailureState::kNodes> servers_;  // As last connected.
  std::array<Findings, FailureState::kNodes> findings_{};
  std::array<Cause, FailureState::kNodes> down_{};  // As was said last; kNone: up.
  std::array<bool, FailureState::kNodes> open_{};
  std::uint32_t said_count_ = 0;       // Instances; 0: none were said.
  Cause said_silence_ = Cause::kNone;  // Why the fleet's count is frozen.
};

// One loop's way to it; the first one's carries the instance's heartbeats.  Belongs to the loop's
// thread.
class LoopStore {
 public:
  LoopStore(net::Loop& loop, SharedStore& shared, std::size_t number);
  // Completes what is pending: whoever waits for it must still be there.
  ~LoopStore();

  Store& store() { return failing_; }
  const FailureCounts& counts() const { return failing_.counts(); }
  std::uint64_t calls() const { return remote_->calls(); }
  std::uint64_t checks() const { return remote_->checks(); }

 private:
  std::unique_ptr<redis::Heartbeat> heartbeat_;  // Null: another loop's, or none.
  std::unique_ptr<redis::RedisStore> remote_;
  FailingStore failing_;
};

}  // namespace weir::cli
