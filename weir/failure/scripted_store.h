#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "weir/store/memory_store.h"

namespace weir {

// How a remote store misbehaves.
enum class Fault : std::uint8_t {
  kNone,
  kRefuse,     // The connection is refused, at once.
  kBlackhole,  // Nothing comes back, until the connection is dropped.
  kSlow,       // Every answer takes `delay`.
  kLossy,      // Every third call is lost.
  kCutBefore,  // The connection breaks before the call ran, and the store cannot know that.
  kCutAfter,   // It breaks after the call ran.
  kReadonly,
  kLoading,
  kOom,
  kClusterDown,
  kScript,
  kGarbage,
};

// One instance's connection to a shared store, for tests: answers after `latency`, from inside
// Poll(), and fails as told.  Checks of one Commit() are one call.
class ScriptedStore final : public Store {
 public:
  explicit ScriptedStore(Store& shared) : shared_(&shared) {}
  // A node of its own for each of `nodes`, by the hit's id.
  ScriptedStore(Store& shared, NodeId nodes) : shared_(&shared), nodes_(nodes) {}

  std::size_t Commit(std::span<Check* const> checks, const Now& now) override {
    ++calls_;
    for (Check* check : checks) Take(*check, now);
    return checks.size();
  }

  Instant Poll(const Now& now) override {
    for (bool more = true; more;) {
      more = false;
      for (std::size_t i = 0; i < waiting_.size(); ++i) {
        if (waiting_[i].due > now.steady) continue;
        Check* const check = waiting_[i].check;
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
        check->pending = false;
        check->Done();
        more = true;
        break;
      }
    }
    Instant next = kNever;
    for (const Waiting& w : waiting_) next = std::min(next, w.due);
    return next;
  }

  NodeId NodeOf(const Hit& hit) const override { return static_cast<NodeId>(hit.id % nodes_); }

  // Completes whatever waits, as a closing connection would.
  void Drop() {
    for (Waiting& w : waiting_) w.due = Instant::min();
    Poll({});
  }

  Fault fault = Fault::kNone;
  NodeId faulty_node = kEveryNode;  // Only this node misbehaves.
  Duration latency = std::chrono::microseconds(500);
  Duration delay = std::chrono::milliseconds(200);
  bool at_once = false;  // Completes inside Commit().

  static constexpr NodeId kEveryNode = 0xffff;

  std::uint64_t calls() const { return calls_; }
  std::uint64_t charges() const { return charges_; }
  std::uint64_t hand_backs() const { return hand_backs_; }
  std::uint64_t probes() const { return probes_; }
  std::uint64_t refunds() const { return refunds_; }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  struct Waiting {
    Instant due;
    Check* check;
  };

  void Take(Check& check, const Now& now) {
    const Fault what =
        faulty_node == kEveryNode || NodeOf(check.hits[0]) == faulty_node ? fault : Fault::kNone;
    check.call = calls_;
    check.outcomes.assign(check.hits.size(), Outcome{});
    for (const Hit& hit : check.hits) {
      charges_ += hit.purpose == Purpose::kCharge && !hit.refund ? 1 : 0;
      refunds_ += hit.refund ? 1 : 0;
      hand_backs_ += hit.purpose == Purpose::kHandBack ? 1 : 0;
      probes_ += hit.purpose == Purpose::kProbe ? 1 : 0;
    }
    Duration after = latency;
    switch (what) {
      case Fault::kNone:
        Run(check, now);
        break;
      case Fault::kRefuse:
        Fail(check, Cause::kRefused, false);
        break;
      case Fault::kBlackhole:
        Fail(check, Cause::kReset, true);
        after = std::chrono::seconds(1);
        break;
      case Fault::kSlow:
        Run(check, now);
        after = delay;
        break;
      case Fault::kLossy:
        Run(check, now);
        if (calls_ % 3 == 0) {
          Fail(check, Cause::kReset, true);
          after = std::chrono::seconds(1);
        }
        break;
      case Fault::kCutBefore:
        Fail(check, Cause::kReset, true);
        break;
      case Fault::kCutAfter:
        Run(check, now);
        Fail(check, Cause::kReset, true);
        break;
      case Fault::kReadonly:
        Fail(check, Cause::kReadonly, false);
        break;
      case Fault::kLoading:
        Fail(check, Cause::kLoading, false);
        break;
      case Fault::kOom:
        Fail(check, Cause::kOom, false);
        break;
      case Fault::kClusterDown:
        Fail(check, Cause::kClusterDown, false);
        break;
      case Fault::kScript:
        Fail(check, Cause::kScript, true);
        break;
      case Fault::kGarbage:
        Fail(check, Cause::kProtocol, true);
        break;
    }
    if (at_once) return;
    check.pending = true;
    waiting_.push_back({now.steady + after, &check});
  }

  void Run(Check& check, const Now& now) {
    Check* const one[] = {&check};
    shared_->Commit(one, now);
  }
  static void Fail(Check& check, Cause cause, bool ambiguous) {
    for (Outcome& outcome : check.outcomes) outcome = {.cause = cause, .ambiguous = ambiguous};
  }

  Store* shared_;
  NodeId nodes_ = 1;
  std::deque<Waiting> waiting_;
  std::uint64_t calls_ = 0;
  std::uint64_t charges_ = 0;
  std::uint64_t hand_backs_ = 0;
  std::uint64_t probes_ = 0;
  std::uint64_t refunds_ = 0;
};

}  // namespace weir
