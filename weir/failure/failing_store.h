#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weir/base/counter.h"
#include "weir/failure/errand.h"
#include "weir/failure/failure_state.h"
#include "weir/failure/local_answers.h"
#include "weir/store/store.h"

namespace weir {

// What one loop's FailingStore counted.  Written by the loop, read by anyone.
struct FailureCounts {
  CounterCell calls;            // Given to the remote store.
  CounterCell late_calls;       // Not answered within the timeout.
  CounterCell late_answers;     // Came when nobody waited any more.
  CounterCell ambiguous;        // Hits that the store may have counted, and may not.
  CounterCell give_backs;       // Hits spent on one node, given back because of another.
  CounterCell give_backs_lost;  // Of those, not known to have arrived; never retried.
  CounterCell hand_backs;       // Keys whose debt reached the store.
  CounterCell hand_backs_lost;  // Of which that is not known; never retried.
  CounterCell refunds_lost;     // Refunds of hits that were ambiguous, or counted by a dead store.
  CounterCell probes;
};

// A store that always answers in time: wraps a remote one, and answers by each rule's mode where
// that gives no count.  All without I/O: driven by Commit(), Done() and Poll().
//
// What it asks of the remote store:
// - It is the same loop's.  Commit() may complete checks at once or leave them pending; a pending
// one
//   gets Done() from inside the remote's Poll() and nowhere else.  Done() may Commit() again.
// - A hit without a count has an outcome with its cause and, unless it surely was not counted, with
//   `ambiguous`.  All others have the store's own time in `at`; see Outcome.
// - Checks that share a call to a node have the same Check::call, never 0, set when Commit()
// returns.
// - Hits of purpose kProbe and kHandBack, and refunds, as Purpose says.
// - Every check is completed some day: a connection whose oldest call is older than DropAfter() is
//   dropped, which completes its calls.
//
// What it does:
// - A check is decided by its deadline, DeadlineOf(now, timeout, Check::deadline); a check without
//   any store hit is decided inside Commit().
// - Before the breaker it asks the Switches and the HeldDenials of FailureOptions.
// - A check that spans nodes passes if every node and every local answer agrees; local charges are
//   made last, all or none, and what was spent on nodes is given back if the check is denied.
// - Late answers feed latency, breaker, mirror and held denials, never their request.
// - What is owed travels ahead of a key's first live check; the rest follows in jittered batches.
//
// One for each loop; not thread-safe.  Shares everything that must be shared through FailureState.
class FailingStore final : public Store {
 public:
  // `number` tells the loops of an instance apart.  All must outlive this store, and `remote` must
  // have completed every check before it is destroyed.
  FailingStore(FailureState& state, Store& remote, std::uint32_t number = 0);
  ~FailingStore() override;

  std::size_t Commit(std::span<Check* const> checks, const Now& now) override;
  // Call it once a turn, after the turn's readable sockets were drained into `remote`: an answer
  // that is there in time must not count as late because the loop was.
  Instant Poll(const Now& now) override;
  NodeId NodeOf(const Hit& hit) const override { return remote_.NodeOf(hit); }

  const FailureCounts& counts() const { return counts_; }
  std::size_t in_flight() const { return in_flight_; }

  // At most this many keys a batch of hand-backs.
  static constexpr std::size_t kHandBackBatch = 256;
  // Between two batches: this, and as much again at random.
  static constexpr Duration kHandBackPause = std::chrono::milliseconds(10);

 private:
  friend class Leg;

  // -- asking (failing_store_commit.cc) --
  struct Ask {
    std::uint32_t hit;
    NodeId node;
  };
  void Begin(Check& check);
  bool AnswerHeld(Check& check);
  void Sort(Errand& errand);
  void SortHit(Errand& errand, std::uint32_t place);
  NoCount WhyNot(const Hit& hit, NodeId node, Instant deadline);
  bool DeniedHere(const Errand& errand);
  Outcome LookAside(const Hit& hit, NodeId node);
  void AskNodes(Errand& errand);
  void HandBackAhead(const Hit& hit);
  void SendBatch();

  // -- deciding (failing_store.cc) --
  void Finish(Errand& errand);
  void TakeUnanswered(Errand& errand);
  bool LegsAgree(const Errand& errand) const;
  bool ChargeLocals(Errand& errand);
  void LookAtLocals(Errand& errand);
  void ChargeEach(Errand& errand);
  void GiveBack(Errand& errand);
  void SendGiveBack(const Leg& spent);

  // -- hearing (failing_store_answers.cc) --
  void LegDone(Leg& leg);
  void Judge(Leg& leg, Cause cause, bool late);
  void Hear(Leg& leg, std::size_t hit);
  void NoteHeld(const Hit& hit, Outcome& outcome, NodeId node);
  void Rehearse(const Hit& hit, Outcome& outcome, NodeId node);
  void HandBackDone(Leg& leg, Cause cause);
  void ExpireErrands();
  void JudgeLateCalls();
  void TellBreakers();
  void Probe(NodeId node, std::uint64_t id, std::string_view key);
  void ProbeQuietNodes();
  Instant HandBackRest();
  void HandBack(Ledger::Owed owed);

  // -- pools --
  Errand& NewErrand();
  Leg& NewLeg(Leg::Kind kind, NodeId node);
  void Release(Errand& errand);
  void Release(Leg& leg);
  // Into the batch that is sent next.
  void Enqueue(Leg& leg);
  // By itself, at once.
  void SendNow(Leg& leg);
  void Sent(Leg& leg);
  void Unlink(Leg& leg);

  struct Due {
    Instant at;
    Errand* errand;
    std::uint64_t ticket;
    bool operator>(const Due& other) const { return at > other.at; }
  };
  // What a loop knows of a node besides NodeState.
  struct NodeLoop {
    CallCounts calls;
    std::uint32_t generation = 0;
    std::uint64_t probe_id = 0;  // What to probe with when nobody asks; 0: nothing yet.
    std::string probe_key;
    Instant next_probe = kNever;
  };
  NodeLoop& LoopOf(NodeId node);

  FailureState& state_;
  Store& remote_;
  LocalAnswers local_;
  const std::uint64_t seed_;
  Now now_;
  FailureCounts counts_;

  std::vector<std::unique_ptr<Errand>> errands_;
  std::vector<Errand*> idle_errands_;
  std::vector<std::unique_ptr<Leg>> legs_;
  std::vector<Leg*> idle_legs_;
  std::vector<Ask> asks_;  // Of the check being begun.
  std::vector<Errand*> begun_;
  std::vector<Check*> batch_;
  std::vector<Check*> sending_;
  std::vector<Due> due_;  // A heap, the earliest first; entries of finished errands lapse.
  Leg* oldest_ = nullptr;
  Leg* newest_ = nullptr;
  std::vector<NodeLoop> nodes_;
  std::vector<std::uint64_t> judged_calls_;  // By number, modulo.
  std::vector<Ledger::Owed> owed_;
  std::size_t in_flight_ = 0;
  std::uint64_t tickets_ = 0;
  std::uint64_t draws_ = 0;
  Instant next_hand_back_{};
};

}  // namespace weir
