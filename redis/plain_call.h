#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "redis/reply.h"
#include "redis/script_call.h"
#include "weir/core/check.h"

namespace weir::redis {

// A pipeline of the commands with which envoyproxy/ratelimit counts, on its own keys and values, so
// that instances of both can share a Redis and count together:
//
//   INCRBY <Hit::key> cost   EXPIRE <Hit::key> window + jitter
//
// A check that stands still when over (Standstill) is two such pipelines, as there: GETs first, and
// then what is added; one that stands still already is GETs alone.  Between the two, others may
// count: the limit may be overshot by as much as is in flight.
//
// Windows are those of this machine's wall clock, as there.  What the reference service does not
// have, refunds (down to zero) and hand-backs, goes through a script of the same effect.
// Reused; not thread-safe.
class PlainCall {
 public:
  static constexpr std::size_t kMostHits = 64;

  // Whether all hits of a check can be counted so: fixed windows, charged each by itself, and no
  // probe.
  static bool Takes(const Check& check);

  // Whether the check is looked at before it is charged: such checks have calls of their own.
  static bool LooksFirst(const Check& check) { return check.standstill == Standstill::kWhenOver; }

  // `now` is the time whose windows count.
  void Start(WallTime now, bool looks_first = false);
  // `jitter`: seconds added to the expiry.
  void Add(Check& check, std::uint32_t hit, std::uint32_t jitter);

  bool looks_first() const { return looks_first_; }
  // Looking, and nothing counted yet.
  bool looking() const { return looking_; }
  // REQUIRES: looking(), done().  Writes the outcomes of hits that stand still, and the commands
  // for the others; there may be none.
  void EndLook();

  const std::string& commands() const { return commands_; }
  // To these commands.
  std::uint32_t replies() const { return static_cast<std::uint32_t>(expected_.size()); }
  // All were taken.
  bool done() const { return taken_ == expected_.size(); }

  // Takes the next reply in order.  If it was a hit's count, the hit's outcome is written; if it
  // was an error instead of one, the outcome is the caller's to fill.
  struct Taken {
    bool is_count = false;
    std::size_t target = 0;
  };
  Taken Take(const Reply& reply);

  // Whether the hit's outcome is known, or is an error.
  bool Counted(std::size_t target) const { return hits_[target].counted; }

  std::vector<ScriptCall::Target>& targets() { return targets_; }

 private:
  struct HitState {
    std::int64_t expiry = 0;  // Seconds.
    std::int64_t seen = 0;    // The count that a look found.
    bool counted = false;
  };
  enum class Expected : std::uint8_t { kCount, kLook, kExpiry };
  struct ExpectedReply {
    Expected what = Expected::kCount;
    std::uint32_t target = 0;
  };

  void AppendLook(std::uint32_t target);
  void AppendCharge(std::uint32_t target);
  void TakeLook(std::uint32_t target, const Reply& reply);
  void WriteOutcome(std::uint32_t target, std::int64_t count, bool added);

  std::vector<ScriptCall::Target> targets_;
  std::vector<HitState> hits_;  // One for each target.
  std::vector<ExpectedReply> expected_;
  std::string commands_;
  std::uint32_t taken_ = 0;
  bool looks_first_ = false;
  bool looking_ = false;
  WallTime now_{};
};

}  // namespace weir::redis
