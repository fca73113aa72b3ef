#include "weir/failure/learned_share.h"

#include <vector>

#include <gtest/gtest.h>

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kEpoch{std::chrono::seconds(1'699'999'200)};  // Of 10 s, and of 60 s.
constexpr Instant kSteady{100s};
constexpr std::uint64_t kKey = 77;

double Of(const LearnedShares& shares, WallTime last_contact, double weight = 0.75,
          std::uint64_t instances = 4) {
  const Share share = shares.Of(kKey, 1s, weight, instances, last_contact);
  return static_cast<double>(share.part) / static_cast<double>(share.whole);
}

TEST(LearnedSharesTest, AnEpochIsTheWindowBetweenTenSecondsAndAMinute) {
  EXPECT_EQ(EpochOf(1s), 10s);
  EXPECT_EQ(EpochOf(30s), 30s);
  EXPECT_EQ(EpochOf(24h), 1min);
}

TEST(LearnedSharesTest, NoRecordIsAnOwnPartOfZero) {
  const LearnedShares shares(100);
  EXPECT_NEAR(Of(shares, kEpoch), 0.25 / 4, 1e-9);
}

TEST(LearnedSharesTest, TheOwnPartOfTheClosedEpochWeighsThreeQuarters) {
  LearnedShares shares(100);
  for (int i = 0; i < 30; ++i) shares.Note(kKey, 1s, 1, 0, kEpoch + 1s, kSteady);
  shares.Note(kKey, 1s, 1, 40, kEpoch + 11s, kSteady);
  EXPECT_NEAR(Of(shares, kEpoch + 12s), 0.75 * 30 / 40 + 0.25 / 4, 1e-9);
  EXPECT_NEAR(Of(shares, kEpoch + 12s, 0.5), 0.5 * 30 / 40 + 0.5 / 4, 1e-9);
  EXPECT_NEAR(Of(shares, kEpoch + 12s, 0), 1.0 / 4, 1e-9);
}

TEST(LearnedSharesTest, ARecordOfAnotherEpochThanTheLastOneHeardOfDoesNotCount) {
  LearnedShares shares(100);
  shares.Note(kKey, 1s, 30, 0, kEpoch + 1s, kSteady);
  shares.Note(kKey, 1s, 1, 40, kEpoch + 11s, kSteady);
  EXPECT_NEAR(Of(shares, kEpoch + 21s), 0.25 / 4, 1e-9);
}

TEST(LearnedSharesTest, AnEpochWithoutTrafficBetweenIsNoRecord) {
  LearnedShares shares(100);
  shares.Note(kKey, 1s, 30, 0, kEpoch + 1s, kSteady);
  shares.Note(kKey, 1s, 1, 40, kEpoch + 21s, kSteady);
  EXPECT_NEAR(Of(shares, kEpoch + 22s), 0.25 / 4, 1e-9);
}

TEST(LearnedSharesTest, DenialsCarryNoTraffic) {
  LearnedShares shares(100);
  shares.Note(kKey, 1s, 10, 0, kEpoch + 1s, kSteady);
  shares.Note(kKey, 1s, 0, 0, kEpoch + 2s, kSteady);
  shares.Note(kKey, 1s, 0, 10, kEpoch + 11s, kSteady);
  EXPECT_NEAR(Of(shares, kEpoch + 11s), 0.75 + 0.25 / 4, 1e-9);
}

TEST(LearnedSharesTest, AnAnswerOfAnEarlierEpochThatComesLateChangesNothing) {
  LearnedShares shares(100);
  shares.Note(kKey, 1s, 30, 0, kEpoch + 1s, kSteady);
  shares.Note(kKey, 1s, 1, 40, kEpoch + 11s, kSteady);
  shares.Note(kKey, 1s, 500, 7, kEpoch + 9s, kSteady);
  EXPECT_NEAR(Of(shares, kEpoch + 12s), 0.75 * 30 / 40 + 0.25 / 4, 1e-9);
}

TEST(LearnedSharesTest, MembersSharesOfOneEpochSumToAtMostOne) {
  std::vector<LearnedShares> fleet;
  double sum = 0;
  const std::uint64_t admitted[] = {1, 2, 3, 94};
  for (const std::uint64_t own : admitted) {
    LearnedShares shares(100);
    shares.Note(kKey, 1s, own, 0, kEpoch + 1s, kSteady);
    shares.Note(kKey, 1s, 1, 100, kEpoch + 11s, kSteady);
    sum += Of(shares, kEpoch + 12s);
  }
  EXPECT_LE(sum, 1.0);
  EXPECT_NEAR(sum, 1.0, 1e-8);
}

}  // namespace
}  // namespace weir
