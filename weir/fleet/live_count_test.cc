#include "weir/fleet/live_count.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr Instant kStart{100s};

LiveCountOptions From(FleetSource source, std::uint32_t expected = 3) {
  return {.source = source, .expected = expected, .self = "a"};
}
void Report(LiveCount& live, std::vector<std::string_view> members, Instant now) {
  live.Report(members, now);
}
FleetView ViewOf(const LiveCount& live) {
  return *live.view().Get();
}

TEST(LiveCountTest, AStaticFleetIsWhatItWasToldToBe) {
  LiveCount live({.source = FleetSource::kStatic, .count = 4, .ordinal = 2});
  Report(live, {"x"}, kStart);
  live.ReportFailure(kStart);
  EXPECT_EQ(ViewOf(live).count, 4U);
  EXPECT_EQ(ViewOf(live).self, 2U);
  EXPECT_FALSE(ViewOf(live).frozen);
  EXPECT_FALSE(live.Stale(kStart + 1h));
}

TEST(LiveCountTest, ThereIsAlwaysAtLeastOneInstance) {
  EXPECT_EQ(ViewOf(LiveCount({.source = FleetSource::kStatic, .count = 0})).count, 1U);
  LiveCount live(From(FleetSource::kDns, 0));
  EXPECT_EQ(ViewOf(live).count, 1U);
  live.ReportCount(0, kStart);
  EXPECT_EQ(ViewOf(live).count, 1U);
}

TEST(LiveCountTest, AJoinerBelievesTheExpectedNumberAndSaysSo) {
  LiveCount live(From(FleetSource::kHeartbeats, 8));
  EXPECT_EQ(ViewOf(live).count, 8U);
  EXPECT_FALSE(ViewOf(live).joined);
  EXPECT_TRUE(live.Stale(kStart));
  EXPECT_EQ(live.PossibleOvershoot(), 1.0 / 8);
  Report(live, {"a", "b"}, kStart);
  EXPECT_EQ(ViewOf(live).count, 2U);
  EXPECT_TRUE(ViewOf(live).joined);
  EXPECT_FALSE(ViewOf(live).frozen);
  EXPECT_EQ(live.PossibleOvershoot(), 0);
}

TEST(LiveCountTest, AJoinerThatNeverHeardAnAnswerKeepsTheExpectedNumber) {
  LiveCount live(From(FleetSource::kHeartbeats, 8));
  live.ReportFailure(kStart);
  EXPECT_EQ(ViewOf(live).count, 8U);
  EXPECT_TRUE(ViewOf(live).frozen);
  EXPECT_FALSE(ViewOf(live).joined);
}

TEST(LiveCountTest, ThisInstanceCountsEvenIfTheSourceForgotIt) {
  LiveCount live(From(FleetSource::kDns));
  Report(live, {"b", "c"}, kStart);
  EXPECT_EQ(ViewOf(live).count, 3U);
  EXPECT_NE(ViewOf(live).self, FleetView::kNoSelf);
}

TEST(LiveCountTest, AMemberNamedTwiceIsOne) {
  LiveCount live(From(FleetSource::kDns));
  Report(live, {"a", "b", "b"}, kStart);
  EXPECT_EQ(ViewOf(live).count, 2U);
}

TEST(LiveCountTest, WhileItsSourceIsDeadTheCountIsFrozenAndNeverShrunk) {
  LiveCount live(From(FleetSource::kHeartbeats));
  Report(live, {"a", "b", "c", "d"}, kStart);
  for (Duration t = 1s; t < 10min; t += 1s) {
    live.ReportFailure(kStart + t);
    ASSERT_EQ(ViewOf(live).count, 4U);
  }
  EXPECT_TRUE(ViewOf(live).frozen);
  EXPECT_EQ(ViewOf(live).Age(kStart + 10min), 10min);
  EXPECT_TRUE(live.Stale(kStart + 10min));
}

TEST(LiveCountTest, AnEmptyAnswerIsAFailureOfTheSourceAndNotAnEmptyFleet) {
  for (const FleetSource source : {FleetSource::kDns, FleetSource::kKubernetes}) {
    LiveCount live(From(source));
    Report(live, {"a", "b", "c"}, kStart);
    Report(live, {}, kStart + 1s);
    EXPECT_EQ(ViewOf(live).count, 3U);
    EXPECT_TRUE(ViewOf(live).frozen);
  }
}

TEST(LiveCountTest, WithAHealthySourceTheCountShrinksAtOnce) {
  LiveCount live(From(FleetSource::kHeartbeats));
  Report(live, {"a", "b", "c"}, kStart);
  Report(live, {"a", "b"}, kStart + 1s);
  EXPECT_EQ(ViewOf(live).count, 2U);
}

TEST(LiveCountTest, AfterAnOutageTheQuickReturnersCannotShrinkTheFleetYet) {
  LiveCount live(From(FleetSource::kHeartbeats));
  Report(live, {"a", "b", "c", "d"}, kStart);
  live.ReportFailure(kStart + 1s);
  Report(live, {"a"}, kStart + 30s);
  EXPECT_EQ(ViewOf(live).count, 4U);
  EXPECT_TRUE(ViewOf(live).frozen);
  Report(live, {"a", "b", "e"}, kStart + 32s);
  EXPECT_EQ(ViewOf(live).count, 5U);
  Report(live, {"a", "b", "e"}, kStart + 35s);
  EXPECT_EQ(ViewOf(live).count, 3U);
  EXPECT_FALSE(ViewOf(live).frozen);
}

TEST(LiveCountTest, AFailureWhileSettlingStartsItAgain) {
  LiveCount live(From(FleetSource::kHeartbeats));
  Report(live, {"a", "b"}, kStart);
  live.ReportFailure(kStart + 1s);
  Report(live, {"a"}, kStart + 2s);
  live.ReportFailure(kStart + 3s);
  Report(live, {"a"}, kStart + 7s);
  EXPECT_EQ(ViewOf(live).count, 2U);
  Report(live, {"a"}, kStart + 12s);
  EXPECT_EQ(ViewOf(live).count, 1U);
}

TEST(LiveCountTest, AStaticNumberUnlikeTheHeartbeatsSeenIsAWarning) {
  LiveCount live({.source = FleetSource::kStatic, .count = 4});
  EXPECT_FALSE(live.Disagrees());
  live.ReportHeartbeats(4);
  EXPECT_FALSE(live.Disagrees());
  live.ReportHeartbeats(2);
  EXPECT_TRUE(live.Disagrees());
}

TEST(LiveCountTest, OfAHugeFleetOnlyTheNumberIsKept) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < LiveCount::kMostMembers + 1; ++i) ids.push_back(std::to_string(i));
  const std::vector<std::string_view> members(ids.begin(), ids.end());
  LiveCount live({.source = FleetSource::kDns, .self = "0"});
  live.Report(members, kStart);
  EXPECT_EQ(ViewOf(live).count, LiveCount::kMostMembers + 1);
  EXPECT_TRUE(ViewOf(live).members.empty());
  EXPECT_EQ(EvenShare(ViewOf(live), 7).rank, Share::kNoRank);
}

// Every instance's share of ten for one key, as each works it out by itself.
std::uint64_t SumOfParts(std::uint64_t key) {
  const std::vector<std::string_view> members = {"a", "b", "c", "d"};
  std::uint64_t sum = 0;
  for (const std::string_view self : members) {
    LiveCount live({.source = FleetSource::kDns, .self = std::string(self)});
    live.Report(members, kStart);
    sum += PartOf(10, EvenShare(ViewOf(live), key));
  }
  return sum;
}

TEST(EvenShareTest, MembersAgreeOnASplitWithoutLossForEveryKey) {
  for (std::uint64_t key = 0; key < 200; ++key) ASSERT_EQ(SumOfParts(key * 7919), 10U);
}

TEST(EvenShareTest, OrdinalsSplitWithoutLossAndFavourNobodyOverAllKeys) {
  std::vector<std::uint64_t> totals(4);
  for (std::uint64_t key = 0; key < 400; ++key) {
    std::uint64_t sum = 0;
    for (std::uint32_t ordinal = 0; ordinal < 4; ++ordinal) {
      const FleetView view{.count = 4, .self = ordinal};
      const std::uint64_t part = PartOf(10, EvenShare(view, key));
      totals[ordinal] += part;
      sum += part;
    }
    ASSERT_EQ(sum, 10U);
  }
  for (const std::uint64_t total : totals) EXPECT_EQ(total, 1000U);
}

TEST(EvenShareTest, WithoutARankEveryoneTakesTheFloor) {
  const FleetView view{.count = 4};
  EXPECT_EQ(EvenShare(view, 7), (Share{.part = 1, .whole = 4}));
  EXPECT_EQ(PartOf(10, EvenShare(view, 7)), 2U);
}

TEST(EvenShareTest, MoreInstancesThanNamesMeansNoRank) {
  LiveCount live(From(FleetSource::kHeartbeats));
  live.ReportCount(5, kStart);
  live.ReportFailure(kStart + 1s);
  Report(live, {"a", "b"}, kStart + 2s);
  EXPECT_EQ(ViewOf(live).count, 5U);
  EXPECT_EQ(EvenShare(ViewOf(live), 7).rank, Share::kNoRank);
}

TEST(EvenShareTest, SourcesHaveNames) {
  EXPECT_EQ(NameOf(FleetSource::kStatic), "static");
  EXPECT_EQ(NameOf(FleetSource::kKubernetes), "kubernetes");
}

}  // namespace
}  // namespace weir
