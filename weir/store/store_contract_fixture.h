#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weir/base/hash.h"
#include "weir/core/algorithm/gcra.h"
#include "weir/store/store.h"

namespace weir {

// 2023-11-14 22:00:00 UTC: the start of a second, a minute and an hour; a minute of steady time has
// passed since whatever it counts from.
inline constexpr Now kContractStart{.steady = Instant(std::chrono::seconds(60)),
                                    .wall = WallTime(std::chrono::seconds(1'699'999'200))};

inline constexpr Algorithm kAllAlgorithms[] = {Algorithm::kTokenBucket, Algorithm::kFixedWindow,
                                               Algorithm::kSlidingWindow};

// A store and the world around it, as the suite drives them.
class StoreUnderTest {
 public:
  virtual ~StoreUnderTest() = default;
  virtual Store& store() = 0;
  // The time to hand to Commit() now.
  virtual Now now() const = 0;
  // Lets this much time pass, wherever the store takes its time from.
  virtual void Advance(Duration by) = 0;
  // Lets every pending check complete.  Nothing to do for a store that answers at once.
  virtual void Complete() {}
};

// A new, empty store whose clocks stand at kContractStart.
using StoreFactory = std::function<std::unique_ptr<StoreUnderTest>()>;

// A check that counts how often it was told to be done.
class ContractCheck final : public Check {
 public:
  void Done() override { ++done; }

  int done = 0;
  bool was_pending = false;

  bool allowed(std::size_t hit = 0) const { return outcomes.at(hit).allowed; }
  // Whole units in use after the hit.
  std::uint64_t units(std::size_t hit = 0) const {
    const Quota& quota = *hits.at(hit).quota;
    const std::uint64_t used = outcomes.at(hit).used;
    if (quota.algorithm != Algorithm::kTokenBucket) return used;
    return quota.burst - gcra::Remaining(quota, used);
  }
};

// One store, rules to charge in it, and short ways to say what is charged.
class StoreContract : public testing::TestWithParam<StoreFactory> {
 protected:
  StoreContract() : world_(GetParam()()) {}

  // Starts again with an empty store.
  void Renew() { world_ = GetParam()(); }

  const Rule& NewRule(const QuotaSpec& spec) {
    Rule& rule = rules_.emplace_back();
    rule.quota = MakeQuota(spec).value();
    rule.index = static_cast<std::uint32_t>(rules_.size() - 1);
    rule.id = "test/rule" + std::to_string(rules_.size());
    rule.id_hash = MixHash(1, Hash64(rule.id, 7));
    return rule;
  }
  const Rule& NewRule(Algorithm algorithm, std::uint64_t limit,
                      Duration window = std::chrono::hours(1)) {
    return NewRule({.algorithm = algorithm, .limit = limit, .window = window});
  }

  // The same rule after a reload that changed its numbers.
  const Rule& Changed(const Rule& before, const QuotaSpec& spec) {
    Rule& rule = rules_.emplace_back(before);
    rule.quota = MakeQuota(spec).value();
    rule.revision = before.revision + 1;
    rule.id_hash = MixHash(before.id_hash, rule.revision);
    rule.carried = CarriedQuota{.id_hash = before.id_hash, .quota = before.quota, .until = kNever};
    return rule;
  }

  Hit HitOn(const Rule& rule, std::string_view key, std::uint64_t cost = 1) {
    Hit hit;
    hit.rule = &rule;
    hit.quota = &rule.quota;
    hit.key = texts_.emplace_back(rule.id + "|" + std::string(key));
    hit.id = MixHash(rule.id_hash, Hash64(key, 7));
    if (rule.carried) hit.previous_id = MixHash(rule.carried->id_hash, Hash64(key, 7));
    hit.cost = cost;
    return hit;
  }
  Hit Refund(const Rule& rule, std::string_view key, std::uint64_t cost, WallTime charged = {}) {
    Hit hit = HitOn(rule, key, cost);
    hit.refund = true;
    hit.charged = charged;
    return hit;
  }
  Hit HandBack(const Rule& rule, std::string_view key, std::uint64_t cost) {
    Hit hit = HitOn(rule, key, cost);
    hit.purpose = Purpose::kHandBack;
    hit.charged = now().wall;
    return hit;
  }
  Hit Shadow(const Rule& rule, std::string_view key, std::uint64_t cost = 1) {
    Hit hit = HitOn(rule, key, cost);
    hit.not_enforced = NotEnforced::kShadow;
    return hit;
  }

  Hit Soft(const Rule& rule, std::string_view key, std::uint64_t cost = 1) {
    Hit hit = HitOn(rule, key, cost);
    hit.not_enforced = NotEnforced::kSoft;
    return hit;
  }

  ContractCheck& NewCheck(std::initializer_list<Hit> hits,
                          Charging charging = Charging::kAllOrNothing) {
    ContractCheck& check = checks_.emplace_back();
    check.charging = charging;
    check.hits = hits;
    return check;
  }

  // Charges the batch and sees it completed, each check exactly once.
  void Commit(const std::vector<Check*>& batch) {
    const std::size_t pending = world_->store().Commit(batch, now());
    std::size_t left = 0;
    for (Check* check : batch) {
      auto& mine = static_cast<ContractCheck&>(*check);
      mine.was_pending = check->pending;
      left += check->pending ? 1 : 0;
    }
    EXPECT_EQ(pending, left);
    world_->Complete();
    for (Check* check : batch) {
      const auto& mine = static_cast<ContractCheck&>(*check);
      EXPECT_FALSE(check->pending);
      EXPECT_EQ(mine.done, mine.was_pending ? 1 : 0);
      ASSERT_EQ(check->outcomes.size(), check->hits.size());
      for (const Outcome& outcome : check->outcomes) EXPECT_EQ(outcome.cause, Cause::kNone);
    }
  }

  // One check, charged by itself.
  ContractCheck& Charge(std::initializer_list<Hit> hits,
                        Charging charging = Charging::kAllOrNothing) {
    ContractCheck& check = NewCheck(hits, charging);
    Commit({&check});
    return check;
  }
  bool Passes(const Rule& rule, std::string_view key, std::uint64_t cost = 1) {
    return Charge({HitOn(rule, key, cost)}).allowed();
  }
  int Admitted(const Rule& rule, std::string_view key, int hits) {
    int admitted = 0;
    for (int i = 0; i < hits; ++i) admitted += Passes(rule, key) ? 1 : 0;
    return admitted;
  }
  // Whole units in use, found by looking.
  std::uint64_t UnitsOf(const Rule& rule, std::string_view key) {
    return Charge({HitOn(rule, key, 0)}).units();
  }

  Now now() const { return world_->now(); }
  void Advance(Duration by) { world_->Advance(by); }

 private:
  std::unique_ptr<StoreUnderTest> world_;
  std::deque<Rule> rules_;
  std::deque<std::string> texts_;
  std::deque<ContractCheck> checks_;
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StoreContract);

}  // namespace weir
