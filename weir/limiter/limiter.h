#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "weir/base/snapshot.h"
#include "weir/core/check.h"
#include "weir/core/decision.h"
#include "weir/limiter/engine.h"
#include "weir/limiter/settle.h"

namespace weir {

// Says whether a request may pass.
//
//   Request --Match--> Check --Commit--> Outcomes --Settle--> Decision
//
// It always answers: a store that is down or late becomes a Decision whose `basis` says so, never
// an error, so callers need no failure path of their own.
//
// One for each thread or loop that decides: cheap, not thread-safe, shares everything that matters
// through its Engine.
//
//   weir::SystemClock clock;
//   weir::MemoryStore store({.now = clock.Read()});
//   weir::Engine engine(store, {});
//   engine.SetPolicy(weir::Policy::Build(std::move(rules), {.seed = seed}));
//   weir::Limiter limiter(engine, 0);
//   const weir::Entry entry{"tenant", "acme"};
//   const weir::Descriptor descriptor{.entries = {&entry, 1}};
//   if (!limiter.Check({"shop", {&descriptor, 1}}, clock.Read()).allowed()) return TooMany();
class Limiter {
 public:
  // `number` tells limiters of one engine apart, from 0 to EngineOptions::limiters - 1; no two
  // live ones may share it.  `engine` must outlive the limiter.
  Limiter(Engine& engine, std::size_t number);
  // Over a store of its own instead of the engine's: one that belongs to its loop, such as a
  // FailingStore.  `store` must outlive the limiter.
  Limiter(Engine& engine, std::size_t number, Store& store);
  Limiter(const Limiter&) = delete;
  Limiter& operator=(const Limiter&) = delete;
  // REQUIRES: no check of Start() is pending.
  ~Limiter();

  // -- one request at a time --

  // Decides now.  REQUIRES: a store that never leaves a check pending, such as MemoryStore; with
  // others use Start().  The decision's pointers stay valid until the next call.
  Decision Check(const Request& request, const Now& now);

  // Decides now or later, always through `done`, once, on this thread: inside this call if the
  // store answers at once, else inside a later call into the store (Poll()).  `request` may go when
  // this returns.  The decision's pointers are valid during the call.
  using Callback = std::function<void(const Decision&)>;
  void Start(const Request& request, const Now& now, Callback done);

  // Lets the store work: flush, expire, deliver.  Call it once a turn; returns when to come back.
  Instant Poll(const Now& now) { return store_.Poll(now); }

  // -- in batches: what the services do with all requests of one read --

  // Adopts a new policy if there is one.  Call it at the start of a turn, before matching.
  void BeginTurn() { in_force_.Refresh(); }

  // Writes the hits of `request` into `check`, which is cleared first.
  void Match(const Request& request, const Now& now, weir::Check& check);

  // Charges the batch; see Store::Commit(), also for what becomes of those left pending.
  std::size_t Commit(std::span<weir::Check* const> checks, const Now& now);

  // Decides a complete check and counts what was decided; see weir::Settle().  Once for each; what
  // Commit() took out of it is back in it afterwards.
  Decision Settle(weir::Check& check);

  const Policy& policy() const { return *in_force_.value()->policy; }
  Engine& engine() const { return engine_; }

 private:
  class Started;

  void TakeHeld(HeldDenials& denials, std::span<weir::Check* const> checks, const Now& now);
  void CountMatches(const Request& request, const weir::Check& check);
  void CountHits(const weir::Check& check);
  RuleCell* CellOf(const weir::Check& check, const Rule& rule);
  void Finish(Started* started);

  Engine& engine_;
  Store& store_;
  const std::size_t number_;
  LoopCounters& loop_;
  Snapshot<Engine::InForce>::Reader in_force_;
  MatchOptions match_options_;
  std::unique_ptr<weir::Check> single_;
  std::vector<std::unique_ptr<Started>> idle_;
};

}  // namespace weir
