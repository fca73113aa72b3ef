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
// Windows are those of this machine's wall clock, as there.  What the reference service does not
// have, refunds (down to zero) and hand-backs, goes through a script of the same effect.
// Reused; not thread-safe.
class PlainCall {
 public:
  static constexpr std::size_t kMostHits = 64;

  // Whether all hits of a check can be counted so: fixed windows, charged each by itself, and no
  // probe.
  static bool Takes(const Check& check);

  // `now` is the time whose windows count.
  void Start(WallTime now);
  // `jitter`: seconds added to the expiry.
  void Add(Check& check, std::uint32_t hit, std::uint32_t jitter);

  const std::string& commands() const { return commands_; }
  // Two for each hit.
  std::uint32_t replies() const { return static_cast<std::uint32_t>(2 * targets_.size()); }

  // Takes the next reply in order.  True if it was a hit's count: then the hit's outcome is written
  // if it was one, and is the caller's to fill if it was an error.
  struct Taken {
    bool is_count = false;
    std::size_t target = 0;
  };
  Taken Take(const Reply& reply);

  // Hits whose count, or error, was taken.
  std::size_t counted() const { return (taken_ + 1) / 2; }

  std::vector<ScriptCall::Target>& targets() { return targets_; }

 private:
  std::vector<ScriptCall::Target> targets_;
  std::string commands_;
  std::uint32_t taken_ = 0;
  WallTime now_{};
};

}  // namespace weir::redis
