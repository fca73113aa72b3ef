#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "sim/fault.h"
#include "sim/store_server.h"
#include "weir/store/store.h"

namespace weir::sim {

struct LinkOptions {
  Duration latency = std::chrono::microseconds(200);  // One way.
  Duration jitter = std::chrono::microseconds(100);   // Added to each way, at most, at random.
  // A connection whose oldest call is older than this is dropped.
  Duration drop_after = std::chrono::seconds(1);
  // Packets of a lossy link are sent again after so long.
  Duration resend = std::chrono::milliseconds(200);
  Duration first_retry = std::chrono::milliseconds(20);  // Of connecting: doubles, full jitter.
  Duration last_retry = std::chrono::seconds(1);
  std::uint64_t seed = 0;
};

// One instance's way to the store, and its client's connection: what a batch of checks meets
// between Commit() and Done().  Keeps the promises that a FailingStore asks of its remote store.
//
// In virtual time: nothing happens but in Commit() and Poll(), at the time they are told.  Answers
// come in the order of the calls.  Not thread-safe.
class LinkStore final : public Store {
 public:
  // `server` and `faults` must outlive this; `start` is the run's.
  LinkStore(StoreServer& server, std::span<const Fault> faults, std::size_t instance,
            const Now& start, const LinkOptions& options);
  ~LinkStore() override;

  std::size_t Commit(std::span<Check* const> checks, const Now& now) override;
  Instant Poll(const Now& now) override;
  NodeId NodeOf(const Hit&) const override { return 0; }

  // When something happens next; what Poll() returns, unless checks were committed since.
  Instant NextEvent() const;

  // Connects anew at once: the store has a new address.
  void Reconnect();

  // Checks that the store executed.
  std::uint64_t executed() const { return executed_; }

 private:
  // What a call that was given up still does when it arrives.
  struct Ghost final : Check {
    explicit Ghost(const Check& from);
    std::deque<Quota> quotas;
  };

  // The checks of one Commit(), which travel together.
  struct Call {
    std::vector<Check*> checks;
    std::vector<std::unique_ptr<Ghost>> ghosts;  // Instead, once the checks were given back.
    Duration sent{};
    Duration due{};  // When it arrives or, having arrived, is answered.
    bool arrived = false;
    Cause cause = Cause::kNone;  // What the answer says instead of counts.
    bool ambiguous = false;
  };

  Duration Since(const Now& now) const { return now.steady - start_.steady; }
  double Draw();
  Duration OneWay();
  Duration Penalty(const Fault* fault);
  void Connect(const Fault* fault, Duration t);
  void RetryLater(Duration t);
  void Arrive(Call& call, Duration t);
  void Execute(Call& call, Duration t);
  void AnswerFirst();
  void Drop(Cause cause, Duration t);
  void ArriveLost(Duration t);
  static void Fill(Check& check, Cause cause, bool ambiguous);
  Call& NewCall();

  StoreServer& server_;
  std::span<const Fault> faults_;
  const std::size_t instance_;
  const Now start_;
  const LinkOptions options_;
  std::uint64_t draws_ = 0;
  std::uint64_t calls_made_ = 0;
  std::uint64_t executed_ = 0;

  std::deque<Call*> calls_;  // Waited for, in the order of sending.
  std::deque<Call*> lost_;   // Given up, but on their way to a store that stands still.
  std::vector<std::unique_ptr<Call>> all_;
  std::vector<Call*> idle_;
  bool connected_ = true;
  Cause why_not_ = Cause::kRefused;  // While not connected.
  Duration next_connect_{};
  std::uint32_t failed_connects_ = 0;
  const Fault* forgot_scripts_ = nullptr;  // The fault for which they were loaded again.
};

}  // namespace weir::sim
