#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "redis/loop_rig.h"
#include "redis/redis_store.h"
#include "redis/server_for_test.h"
#include "weir/base/hash.h"

namespace weir::redis {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): tests only.

// Counts how often it was done.
class CheckForTest final : public Check {
 public:
  void Done() override { ++done; }
  const Outcome& outcome(std::size_t i = 0) const { return outcomes.at(i); }
  int done = 0;
};

class StoreObserverForTest final : public RedisStoreObserver {
 public:
  void OnNodeUp(NodeId, const ServerAddress&, const ServerFacts&) override { ++ups; }
  void OnNodeDown(NodeId, const ServerAddress&, Cause cause, std::string_view) override {
    downs.push_back(cause);
  }
  void OnAlert(NodeId, Cause cause, std::string_view, std::string_view what) override {
    alerts.push_back(cause);
    advice = what;
  }

  void OnSurvey(NodeId, const std::vector<Finding>& what) override {
    ++surveys;
    findings = what;
  }

  int surveys = 0;
  std::vector<Finding> findings;
  int ups = 0;
  std::vector<Cause> downs;
  std::vector<Cause> alerts;
  std::string advice;
};

// Knows one variable.
inline std::string NoEnvironment(const std::string& name) {
  return name == "PASSWORD" ? "SECRET" : "";
}

// A store and rules to charge in it; time is real.
class RedisStoreRig : public testing::Test {
 protected:
  RedisStore& Open(const std::string& url, const RedisStoreOptions& options = {}) {
    store_ = std::make_unique<RedisStore>(rig_.loop(), ParseEndpoint(url, &NoEnvironment).value(),
                                          nullptr, options, &observer_);
    return *store_;
  }
  bool BecomesReady() {
    return rig_.RunUntil([&] { return store_->connection().ready(); });
  }
  RedisStore& OpenReady(const ServerForTest& server, const RedisStoreOptions& options = {}) {
    Open(server.url(), options);
    EXPECT_TRUE(BecomesReady());
    return *store_;
  }

  const Rule& NewRule(const QuotaSpec& spec) {
    Rule& rule = rules_.emplace_back();
    rule.quota = MakeQuota(spec).value();
    rule.id = "test/rule" + std::to_string(rules_.size());
    rule.id_hash = Hash64(rule.id, 1);
    return rule;
  }
  Hit HitOn(const Rule& rule, std::string_view value, std::uint64_t cost = 1) {
    Hit hit;
    hit.rule = &rule;
    hit.quota = &rule.quota;
    hit.key = texts_.emplace_back(rule.id + "|" + std::to_string(value.size()) + ":" +
                                  std::string(value));
    hit.id = MixHash(rule.id_hash, Hash64(value, 1));
    hit.cost = cost;
    return hit;
  }
  CheckForTest& NewCheck(std::vector<Hit> hits, Charging charging = Charging::kAllOrNothing) {
    CheckForTest& check = checks_.emplace_back();
    check.hits = std::move(hits);
    check.charging = charging;
    return check;
  }
  std::size_t Commit(const std::vector<Check*>& batch) {
    return store_->Commit(batch, rig_.loop().now());
  }
  // Charges one check and waits for it.
  const CheckForTest& Charge(std::vector<Hit> hits) {
    CheckForTest& check = NewCheck(std::move(hits));
    Commit({&check});
    Wait(check);
    return check;
  }
  void Wait(const CheckForTest& check) {
    EXPECT_TRUE(rig_.RunUntil([&] { return !check.pending; }));
  }

  LoopRig rig_;
  StoreObserverForTest observer_;
  std::deque<Rule> rules_;
  std::deque<std::string> texts_;
  std::deque<CheckForTest> checks_;
  std::unique_ptr<RedisStore> store_;
  net::TurnHook poll_{rig_.loop(), net::TurnHook::When::kEnd, [this] {
                        if (store_) store_->Poll(rig_.loop().now());
                      }};
};

}  // namespace weir::redis
