#pragma once

#include <deque>
#include <string>

#include "weir/base/hash.h"
#include "weir/failure/mirror.h"

namespace weir {

// 2023-11-14 22:00:00 UTC, the start of every window up to an hour; a minute of steady time ago the
// instance's ticks began.
inline constexpr Now kRigStart{.steady = Instant(std::chrono::seconds(60)),
                               .wall = WallTime(std::chrono::seconds(1'699'999'200))};

// Rules, hits and moments for tests of local counts.
class LocalRig {
 public:
  const Rule& NewRule(Algorithm algorithm, std::uint64_t limit, Duration window,
                      FailurePolicy policy = {.mode = FailureMode::kLocalShare}) {
    Rule& rule = rules_.emplace_back();
    rule.quota = MakeQuota({.algorithm = algorithm, .limit = limit, .window = window}).value();
    rule.id = "test/rule" + std::to_string(rules_.size());
    rule.id_hash = Hash64(rule.id, 7);
    rule.on_store_failure = std::move(policy);
    return rule;
  }
  Hit HitOn(const Rule& rule, std::string_view key = "acme", std::uint64_t cost = 1) {
    Hit hit;
    hit.rule = &rule;
    hit.quota = &rule.quota;
    hit.key = texts_.emplace_back(rule.id + "|" + std::string(key));
    hit.id = MixHash(rule.id_hash, Hash64(key, 7));
    hit.cost = cost;
    return hit;
  }

  Moment moment() const {
    return {.steady = now_.steady,
            .ticks = now_.steady.time_since_epoch().count() * Quota::kTicksPerNano,
            .store = now_.wall};
  }
  Now now() const { return now_; }
  void Advance(Duration by) {
    now_.steady += by;
    now_.wall += by;
  }

 private:
  std::deque<Rule> rules_;
  std::deque<std::string> texts_;
  Now now_ = kRigStart;
};

// What is left of the hit's limit, as answers say it.
inline std::uint64_t LeftOf(const Hit& hit, const Outcome& outcome) {
  const Quota& quota = *hit.quota;
  if (quota.algorithm != Algorithm::kTokenBucket) {
    return quota.limit - std::min(quota.limit, outcome.used);
  }
  return (static_cast<std::uint64_t>(quota.tolerance) - outcome.used) /
         static_cast<std::uint64_t>(quota.interval);
}

}  // namespace weir
