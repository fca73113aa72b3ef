#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/fault.h"
#include "weir/store/memory_store.h"

namespace weir::sim {

// The shared store itself: one count for all instances, on a clock of its own.
//
// It counts with the memory store, to which the scripts of the real one are equal by the contract
// that both pass.  Not thread-safe; all times are since the start of the run.
class StoreServer {
 public:
  // `start` is when the run starts, on the instances' clocks; the store's own is `ahead` of it.
  // `seed` decides which keys an eviction forgets.
  StoreServer(const Now& start, Duration ahead, std::uint64_t seed);

  // Keeps what executed in the last `lag`, so that a failover can lose it.
  void KeepReplica(Duration lag);

  // Executes one call, and stamps its outcomes with the store's time.
  void Execute(Check& check, Duration t);

  // The primary is gone, and with it what the replica had not seen by then.
  void FailOver(Duration t);
  // The clock jumps.
  void StepClock(Duration by) { ahead_ += by; }
  // Forgets one key in `one_in`, by a draw for each.
  void Evict(std::uint32_t one_in);

  WallTime WallAt(Duration t) const { return start_.wall + t + ahead_; }

 private:
  struct Written {
    Duration at{};
    Hit hit;
    Quota quota;
  };

  Now NowAt(Duration t) const { return {.steady = start_.steady + t, .wall = WallAt(t)}; }
  std::uint64_t Renamed(std::uint64_t id) const;
  void Rename(Check& check);
  void Replicate(Duration until);
  void CountEpoch(const Hit& hit, std::uint64_t cost, Outcome& outcome, Duration t);

  Now start_;
  Duration ahead_;
  std::uint64_t seed_;
  std::unique_ptr<MemoryStore> primary_;
  std::unique_ptr<MemoryStore> replica_;  // Null unless kept.
  Duration lag_{};
  std::deque<Written> behind_;  // Not yet seen by the replica.
  std::vector<std::uint32_t> evictions_;

  // What rules with `split: learned` pay for: admitted cost of a key, by epoch.
  struct Epochs {
    std::int64_t number = 0;
    std::uint64_t open = 0;
    std::uint64_t closed = 0;  // Of the one before.
  };
  std::unordered_map<std::uint64_t, Epochs> epochs_;
};

}  // namespace weir::sim
