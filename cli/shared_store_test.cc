#include "cli/shared_store.h"

#include <gtest/gtest.h>

#include "weir/base/manual_clock.h"

namespace weir::cli {
namespace {

using namespace std::chrono_literals;

class SharedStoreTest : public testing::Test {
 protected:
  static SharedStoreOptions Options() {
    SharedStoreOptions options;
    options.endpoint.servers = {{.host = "10.0.0.1", .port = 6379}};
    return options;
  }
  bool open() { return store_.state().node(0).breaker.Read().open; }
  void OpenBreaker() {
    Breaker& breaker = store_.state().node(0).breaker;
    breaker.Add({.failed = 100, .cause = Cause::kReset}, breaker.Read().generation, 10ms,
                clock_.Read().steady);
    ASSERT_TRUE(open());
  }
  static bool In(const SharedStore::Findings& findings, redis::FindingKind kind) {
    return findings.at(static_cast<std::size_t>(kind));
  }

  ManualClock clock_{{.steady = Instant(60s), .wall = WallTime(1'699'999'200s)}};
  SharedStore store_{clock_, Options()};
  const redis::ServerAddress old_{.host = "10.0.0.1", .port = 6379};
  const redis::ServerAddress new_{.host = "10.0.0.2", .port = 6379};
};

TEST_F(SharedStoreTest, ANewPrimaryUnderTheSameNumberStartsWithAClosedBreaker) {
  store_.OnNodeUp(0, old_, {});
  const std::uint32_t before = store_.state().node(0).breaker.Read().generation;
  OpenBreaker();
  store_.OnNodeDown(0, old_, Cause::kReset, "closed");
  store_.OnNodeUp(0, new_, {});
  EXPECT_FALSE(open());
  EXPECT_NE(store_.state().node(0).breaker.Read().generation, before);
}

TEST_F(SharedStoreTest, TheSameServerAgainIsForAProbeToJudge) {
  store_.OnNodeUp(0, old_, {});
  OpenBreaker();
  store_.OnNodeDown(0, old_, Cause::kReset, "closed");
  store_.OnNodeUp(0, old_, {});
  EXPECT_TRUE(open());
}

TEST_F(SharedStoreTest, LoopsThatFollowLaterChangeNothing) {
  store_.OnNodeUp(0, old_, {});
  store_.OnNodeUp(0, new_, {});
  OpenBreaker();
  store_.OnNodeUp(0, new_, {});
  EXPECT_TRUE(open());
}

TEST_F(SharedStoreTest, FindingsAreThoseOfTheLatestSurvey) {
  using redis::FindingKind;
  store_.OnSurvey(0, {{FindingKind::kEvicting, "it evicts"}, {FindingKind::kSlow, "it is slow"}});
  EXPECT_TRUE(In(store_.findings(), FindingKind::kEvicting));
  store_.OnSurvey(0, {{FindingKind::kSlow, "it is slow"}});
  EXPECT_FALSE(In(store_.findings(), FindingKind::kEvicting));
  EXPECT_TRUE(In(store_.findings(), FindingKind::kSlow));
}

}  // namespace
}  // namespace weir::cli
