#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "redis/batch.h"
#include "redis/clock_offset.h"
#include "redis/connection.h"
#include "redis/endpoint.h"
#include "redis/key_writer.h"
#include "redis/sentinels.h"
#include "redis/survey.h"
#include "weir/store/store.h"

namespace weir::redis {

// Told what people should know of the store.  Called on the loop's thread, as often as it happens:
// the receiver makes one line a change of it.
class RedisStoreObserver {
 public:
  RedisStoreObserver() = default;
  RedisStoreObserver(const RedisStoreObserver&) = delete;
  RedisStoreObserver& operator=(const RedisStoreObserver&) = delete;
  virtual ~RedisStoreObserver() = default;

  virtual void OnNodeUp(NodeId, const ServerAddress&, const ServerFacts&) {}
  virtual void OnNodeDown(NodeId, const ServerAddress&, Cause, std::string_view /*why*/) {}
  // What was found of the server when it came up, and every survey_every since; empty if all is
  // well.
  virtual void OnSurvey(NodeId, const std::vector<Finding>&) {}
  // An error that a person has to mend; `advice` says how and may be empty.
  virtual void OnAlert(NodeId, Cause, std::string_view /*text*/, std::string_view /*advice*/) {}
};

struct RedisStoreOptions {
  // The timeout in force for calls; only what is older than max(1 s, 10 x this) is dropped here.
  Duration timeout = std::chrono::milliseconds(10);
  std::size_t most_calls = 4096;  // In flight on a connection.
  std::uint64_t seed = 0;         // Of the jitter.
  // How often servers are surveyed, beginning when they come up; zero: never.
  Duration survey_every = std::chrono::minutes(1);
  // `profile: reference`: keys, values and commands are the reference service's (plain_call.h), as
  // far as hits are fixed windows; windows are this machine's.
  bool reference_profile = false;
  std::uint32_t expiry_jitter_seconds = 300;  // Of those keys, as EXPIRATION_JITTER_MAX_SECONDS.
  // Tests: stands in for the store's clock.
  const Clock* store_clock = nullptr;
};

// Counts in a Redis or Valkey that instances share.
//
// Commit() packs the checks of a turn into script calls (up to 64 keys each); they leave in one
// write at the turn's end.  Outcomes are as a MemoryStore would fill them, by the store's clock.  A
// check that gets no answer is completed with a cause: at its deadline (kTimeout), when the
// connection is lost, or at once while there is none; Outcome::ambiguous says whether it may have
// been counted.  There is no breaker and no mode in here (weir/failure has them).
//
// Done() is called from inside Poll(), and nowhere else: whoever drives the store calls Poll() once
// a turn, behind the turn's sockets (net::TurnHook at the end), and finds there what arrived.  The
// loop wakes by itself for answers and deadlines.
//
// A hit whose quota the store cannot count exactly (SharedQuota()) gets the cause kScript.
//
// Belongs to the thread of its loop.
class RedisStore final : public Store, private BatchOwner, private net::TurnEndTask {
 public:
  // `loop`, `tls` (may be null) and `observer` (may be null) must outlive the store.  Connects at
  // once and keeps trying.  A store behind Sentinels
  // follows its primary, which keeps its NodeId: RedisStoreObserver::OnNodeUp tells the address.
  // REQUIRES: endpoint.kind is not kCluster
  RedisStore(net::Loop& loop, const Endpoint& endpoint, const net::TlsClient* tls,
             const RedisStoreOptions& options, RedisStoreObserver* observer);
  // Completes what is pending (kReset), Done() included.
  ~RedisStore() override;

  std::size_t Commit(std::span<Check* const> checks, const Now& now) override;
  // Sends what was committed, completes what was answered, lost, or is past its deadline.
  Instant Poll(const Now& now) override;
  NodeId NodeOf(const Hit& hit) const override;

  // Checks that are not complete.
  std::size_t pending() const { return pending_; }
  // Script calls sent, and checks in them.  Thread-safe.
  std::uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }
  std::uint64_t checks() const { return checks_.load(std::memory_order_relaxed); }

  // The store's clock minus ours; nothing until it is known.  Thread-safe.
  std::optional<Duration> clock_offset() const;

  // The connection to the server that counts.
  Connection& connection();

 private:
  // More calls than this are not gathered before they are sent.
  static constexpr std::size_t kMostOpen = 32;
  static constexpr std::uint32_t kMostAttempts = 3;

  void OnReply(Batch& batch, const Reply& reply, const Now& now) override;
  void OnLost(Batch& batch, Cause cause, bool may_have_run) override;
  void OnTurnEnd() override;

  bool Take(Check& check, const Now& now);
  Batch& BatchFor(Script script, const Check& check, const Now& now);
  bool Fits(Batch& batch, const Check& check) const;
  void AddTo(Batch& batch, Check& check);
  void SendOpen();
  void Send(Batch& batch);
  void Repeat(Batch& batch);
  void OnPlainReply(Batch& batch, const Reply& reply);
  void OnError(Batch& batch, std::string_view text);
  void TakeNote(Batch& batch, const struct ErrorReply& error, std::string_view text);

  void CompleteAll(Batch& batch);
  void FailAll(Batch& batch, Cause cause, bool may_have_run);
  void Expire(Instant now);
  void ExpireIn(Batch& batch, Instant now);
  void Finish(Check& check) { finished_.push_back(&check); }
  void TellFinished();
  void Recycle(Batch& batch);
  void SetTimer(Instant when);

  net::Loop& loop_;
  const RedisStoreOptions options_;
  RedisStoreObserver* observer_;
  KeyWriter keys_;
  std::unique_ptr<Node> node_;
  std::unique_ptr<Sentinels> sentinels_;  // Null but for kSentinel.
  net::Timer timer_;

  std::vector<std::unique_ptr<Batch>> pool_;  // All there are.
  std::vector<Batch*> free_;
  std::vector<Batch*> open_;      // Gathering, in the order in which they will be sent.
  std::vector<Batch*> flying_;    // Sent and not answered, in no order.
  std::vector<Check*> finished_;  // Complete, and to be told so by the next Poll().
  std::vector<Check*> telling_;
  std::uint64_t next_number_ = 0;
  std::size_t pending_ = 0;
  bool closing_ = false;

  ClockOffset offset_;
  std::atomic<std::int64_t> shown_offset_{kUnknownOffset};
  std::atomic<std::uint64_t> calls_{0};
  std::atomic<std::uint64_t> checks_{0};

  static constexpr std::int64_t kUnknownOffset = INT64_MIN;
};

}  // namespace weir::redis
