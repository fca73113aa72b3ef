#pragma once

#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "redis/script_call.h"
#include "redis/server_for_test.h"
#include "weir/base/hash.h"
#include "weir/core/shared_quota.h"
#include "weir/store/memory_store.h"

namespace weir::redis {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): tests only.

inline constexpr std::int64_t kTicksPerSecond = SharedTicks::kPerSecond;

// One server for all tests of the scripts.
inline ServerForTest& ScriptServer() {
  static ServerForTest server;
  return server;
}

// A world in which the same checks are charged in Redis and in memory, at one tick.
class ScriptTest : public testing::Test {
 protected:
  ScriptTest() : client_(ScriptServer()) {
    client_.Run({"FLUSHALL"});
    client_.LoadScripts();
    Restart();
  }

  void Restart() {
    memory_ = std::make_unique<MemoryStore>(
        MemoryStoreOptions{.max_keys = 100'000, .now = NowAt(kTicksPerSecond)});
  }

  static Now NowAt(std::int64_t tick) {
    const WallTime wall = SharedTicks::WallOf(tick);
    return {.steady = Instant(wall - SharedTicks::kOrigin + 2s), .wall = wall};
  }

  // The rule twice: as its owner wrote it, and in the store's ticks for the memory store.
  struct Twin {
    Rule written;
    Rule shared;
  };
  Twin& NewRule(const QuotaSpec& spec) {
    Twin& twin = rules_.emplace_back();
    twin.written.quota = MakeQuota(spec).value();
    twin.written.id = "test/" + std::to_string(rules_.size());
    twin.shared = twin.written;
    twin.shared.quota = SharedQuota(twin.written.quota).value();
    return twin;
  }
  Twin& Changed(const Twin& before, const QuotaSpec& spec) {
    Twin& twin = rules_.emplace_back(before);
    twin.written.quota = MakeQuota(spec).value();
    twin.shared.quota = SharedQuota(twin.written.quota).value();
    twin.written.carried = CarriedQuota{.id_hash = 1, .quota = before.written.quota};
    twin.shared.carried = CarriedQuota{.id_hash = 1, .quota = before.shared.quota};
    ++twin.written.revision;
    return twin;
  }

  Hit HitOn(const Twin& twin, int key, std::uint64_t cost = 1) {
    Hit hit;
    hit.rule = &twin.written;
    hit.quota = &twin.written.quota;
    hit.key = texts_.emplace_back(twin.written.id + "|1:" + std::to_string(key));
    hit.id = IdOf(twin, twin.written.revision, key);
    if (twin.written.carried) hit.previous_id = IdOf(twin, twin.written.revision - 1, key);
    hit.cost = cost;
    return hit;
  }
  static std::uint64_t IdOf(const Twin& twin, std::uint32_t revision, int key) {
    return MixHash(MixHash(Hash64(twin.written.id, 3), revision),
                   static_cast<std::uint64_t>(key) + 1);
  }

  // Charges in both and compares every outcome, to the tick.
  void ChargeBoth(const std::vector<std::unique_ptr<Check>>& checks, std::int64_t tick) {
    std::vector<std::unique_ptr<Check>> twins;
    std::vector<Check*> batch;
    for (const auto& check : checks) {
      auto& twin = twins.emplace_back(std::make_unique<Check>());
      twin->charging = check->charging;
      for (Hit hit : check->hits) {
        const Rule& shared = SharedOf(*hit.rule);
        hit.rule = &shared;
        hit.quota = &shared.quota;
        twin->hits.push_back(hit);
      }
      batch.push_back(twin.get());
    }
    memory_->Commit(batch, NowAt(tick));
    ChargeInRedis(checks, tick);
    for (std::size_t c = 0; c < checks.size(); ++c) {
      for (std::size_t h = 0; h < checks[c]->hits.size(); ++h) {
        SCOPED_TRACE("check " + std::to_string(c) + " hit " + std::to_string(h));
        ExpectSame(checks[c]->hits[h], checks[c]->outcomes[h], twins[c]->outcomes[h]);
      }
    }
  }

  void ChargeInRedis(const std::vector<std::unique_ptr<Check>>& checks, std::int64_t tick) {
    ScriptCall call;
    const auto flush = [&] {
      if (call.empty()) return;
      std::string command;
      call.AppendTo(command);
      const Reply reply = client_.Ask(command);
      ASSERT_FALSE(reply.is_error()) << reply.text();
      ASSERT_TRUE(call.Fill(reply));
      EXPECT_EQ(ScriptCall::TickIn(reply), tick);
    };
    for (const auto& check : checks) {
      check->outcomes.assign(check->hits.size(), Outcome{.cause = Cause::kTimeout});
      const Script script = always_general_ ? Script::kGeneral : ScriptCall::ScriptFor(*check);
      if (call.empty() || call.script() != script || call.keys() >= ScriptCall::kMostKeys) {
        flush();
        call.Start(script, tick);
      }
      if (script == Script::kGeneral) {
        call.AddGroup(*check, keys_);
      } else {
        call.AddLean(*check, 0, keys_);
      }
    }
    flush();
  }

  const Rule& SharedOf(const Rule& written) {
    for (const Twin& twin : rules_) {
      if (&twin.written == &written) return twin.shared;
    }
    std::abort();
  }

  void ExpectSame(const Hit& hit, const Outcome& got, const Outcome& want) {
    ASSERT_EQ(got.cause, Cause::kNone);
    EXPECT_EQ(got.allowed, want.allowed);
    EXPECT_EQ(got.retry == kNeverFits, want.retry == kNeverFits);
    EXPECT_LE(std::abs((got.retry - want.retry).count()), slack_);
    EXPECT_EQ(got.next, want.next);
    EXPECT_LE(std::abs((got.reset - want.reset).count()), slack_);
    if (hit.quota->algorithm == Algorithm::kTokenBucket) {
      const std::uint64_t ticks = want.used / SharedTicks::kQuotaTicks;
      const auto used = static_cast<std::int64_t>(UsedOfShared(*hit.quota, ticks));
      EXPECT_LE(std::abs(static_cast<std::int64_t>(got.used) - used),
                slack_ * Quota::kTicksPerNano);
    } else {
      EXPECT_EQ(got.used, want.used);
    }
  }

  std::unique_ptr<Check> NewCheck(std::vector<Hit> hits,
                                  Charging charging = Charging::kAllOrNothing) {
    auto check = std::make_unique<Check>();
    check->hits = std::move(hits);
    check->charging = charging;
    return check;
  }
  void ChargeOne(std::vector<Hit> hits, std::int64_t tick) {
    std::vector<std::unique_ptr<Check>> checks;
    checks.push_back(NewCheck(std::move(hits)));
    ChargeBoth(checks, tick);
  }

  ClientForTest client_;
  KeyWriter keys_;
  std::unique_ptr<MemoryStore> memory_;
  std::deque<Twin> rules_;
  std::deque<std::string> texts_;
  bool always_general_ = false;
  std::int64_t slack_ = 0;  // ns
};

}  // namespace weir::redis
