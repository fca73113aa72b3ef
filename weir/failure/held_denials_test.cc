#include "weir/failure/held_denials.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "weir/base/hash.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr Instant kStart{100s};

std::uint64_t IdOf(std::uint64_t n) {
  return MixHash(7, n);
}

TEST(HeldDenialsTest, DeniesUntilTheInstantAndNotAtIt) {
  HeldDenials held(100);
  held.Hold(IdOf(1), kStart + 10s, kStart);
  EXPECT_EQ(held.Left(IdOf(1), kStart), 10s);
  EXPECT_EQ(held.Left(IdOf(1), kStart + 10s - 1ns), 1ns);
  EXPECT_EQ(held.Left(IdOf(1), kStart + 10s), 0s);
  EXPECT_EQ(held.Left(IdOf(1), kStart + 1h), 0s);
}

TEST(HeldDenialsTest, KnowsNothingOfOtherIds) {
  HeldDenials held(100);
  EXPECT_EQ(held.Left(IdOf(1), kStart), 0s);
  held.Hold(IdOf(1), kStart + 10s, kStart);
  EXPECT_EQ(held.Left(IdOf(2), kStart), 0s);
  EXPECT_EQ(held.Left(IdOf(1) + 1, kStart), 0s);
}

TEST(HeldDenialsTest, ALaterDenialReplacesAnEarlierOneEvenIfItEndsSooner) {
  HeldDenials held(100);
  held.Hold(IdOf(1), kStart + 10s, kStart);
  held.Hold(IdOf(1), kStart + 20s, kStart);
  EXPECT_EQ(held.Left(IdOf(1), kStart), 20s);
  held.Hold(IdOf(1), kStart + 5s, kStart);
  EXPECT_EQ(held.Left(IdOf(1), kStart), 5s);
  EXPECT_EQ(held.taken(), 1U);
}

TEST(HeldDenialsTest, AMomentThatHasPassedIsNotHeld) {
  HeldDenials held(100);
  held.Hold(IdOf(1), kStart, kStart);
  held.Hold(IdOf(2), kStart - 1s, kStart);
  EXPECT_EQ(held.taken(), 0U);
}

TEST(HeldDenialsTest, ForgetEndsOneDenialAndClearAllOfThem) {
  HeldDenials held(100);
  for (std::uint64_t n = 1; n <= 10; ++n) held.Hold(IdOf(n), kStart + 10s, kStart);
  held.Forget(IdOf(1));
  held.Forget(IdOf(99));
  EXPECT_EQ(held.Left(IdOf(1), kStart), 0s);
  EXPECT_EQ(held.Left(IdOf(2), kStart), 10s);
  held.Clear();
  for (std::uint64_t n = 1; n <= 10; ++n) EXPECT_EQ(held.Left(IdOf(n), kStart), 0s);
  EXPECT_EQ(held.taken(), 0U);
}

TEST(HeldDenialsTest, AtItsBoundItKeepsNearlyAllAndCountsWhatItForgets) {
  constexpr std::uint64_t kKeys = 100'000;
  HeldDenials held(kKeys);
  EXPECT_EQ(held.bytes(), kKeys * HeldDenials::kBytesPerKey);
  for (std::uint64_t n = 0; n < kKeys; ++n) held.Hold(IdOf(n), kStart + 10s, kStart);
  std::uint64_t kept = 0;
  for (std::uint64_t n = 0; n < kKeys; ++n) kept += held.Left(IdOf(n), kStart) > 0s ? 1 : 0;
  EXPECT_EQ(kept + held.evictions(), kKeys);
  EXPECT_LT(held.evictions(), kKeys / 50);
}

TEST(HeldDenialsTest, InAFloodTheDenialThatEndsSoonestIsForgottenAndTheTableDoesNotGrow) {
  HeldDenials held(1);  // One set of eight.
  for (std::uint64_t n = 1; n <= 8; ++n) {
    held.Hold(IdOf(n), kStart + n * 10s, kStart);
  }
  EXPECT_EQ(held.evictions(), 0U);
  held.Hold(IdOf(9), kStart + 5s, kStart);
  EXPECT_EQ(held.Left(IdOf(1), kStart), 0s);
  EXPECT_EQ(held.Left(IdOf(2), kStart), 20s);
  EXPECT_EQ(held.Left(IdOf(9), kStart), 5s);
  EXPECT_EQ(held.evictions(), 1U);
  for (std::uint64_t n = 10; n < 1000; ++n) held.Hold(IdOf(n), kStart + 1h, kStart);
  EXPECT_EQ(held.taken(), 8U);
}

TEST(HeldDenialsTest, WhatHasEndedMakesRoomWithoutBeingCounted) {
  HeldDenials held(1);
  for (std::uint64_t n = 1; n <= 8; ++n) held.Hold(IdOf(n), kStart + 10s, kStart);
  for (std::uint64_t n = 11; n <= 18; ++n) held.Hold(IdOf(n), kStart + 60s, kStart + 10s);
  for (std::uint64_t n = 11; n <= 18; ++n) EXPECT_GT(held.Left(IdOf(n), kStart + 10s), 0s);
  EXPECT_EQ(held.evictions(), 0U);
}

TEST(HeldDenialsTest, AClockThatStartsBelowZeroIsAsGoodAsAnyOther) {
  HeldDenials held(1);
  const Instant early{-1h};
  for (std::uint64_t n = 1; n <= 8; ++n) held.Hold(IdOf(n), early + 10s, early);
  for (std::uint64_t n = 1; n <= 8; ++n) EXPECT_EQ(held.Left(IdOf(n), early), 10s);
  EXPECT_EQ(held.evictions(), 0U);
}

// Every id always ends at the same instant, so that any other reading would be one of another id.
TEST(HeldDenialsTest, ThreadsNeverReadTheEndOfAnotherId) {
  constexpr std::uint64_t kIds = 64;
  constexpr int kRounds = 20'000;
  HeldDenials held(1);
  const auto end_of = [](std::uint64_t n) { return kStart + n * 1s; };
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        const std::uint64_t n = 1 + (static_cast<std::uint64_t>(i) * 7 + t * 13) % kIds;
        const Duration left = held.Left(IdOf(n), kStart);
        if (left != 0s && kStart + left != end_of(n)) wrong.fetch_add(1);
        if (i % 5 == 0) held.Forget(IdOf(n));
        held.Hold(IdOf(n), end_of(n), kStart);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_LE(held.taken(), 8U);
}

}  // namespace
}  // namespace weir
