#include <array>
#include <cstdint>
#include <cstdio>

#include <gtest/gtest.h>
#include <unistd.h>

#include "weir/base/hash.h"
#include "weir/core/check.h"
#include "weir/store/memory_store.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

std::size_t ResidentBytes() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  unsigned long total = 0;
  unsigned long resident = 0;
  const int read = std::fscanf(file, "%lu %lu", &total, &resident);
  std::fclose(file);
  return read == 2 ? resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

TEST(MemoryStoreLongTest, TenMillionKeysFitIntoThirtyTwoBytesEach) {
  constexpr std::uint64_t kKeys = 10'000'000;
  constexpr Now kStart{.steady = Instant(60s), .wall = WallTime(1'699'999'200s)};
  MemoryStore store({.max_keys = kKeys, .max_bytes = 0, .now = kStart});
  Rule rule;
  rule.quota = MakeQuota({.limit = 2, .window = 1h}).value();
  const std::size_t before = ResidentBytes();

  std::array<Check, 16> checks;
  std::array<Check*, 16> batch{};
  for (std::size_t i = 0; i < checks.size(); ++i) {
    batch.at(i) = &checks.at(i);
    Hit& hit = checks.at(i).hits.emplace_back();
    hit.rule = &rule;
    hit.quota = &rule.quota;
  }
  std::uint64_t again = 0;
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t key = 0; key < kKeys; key += batch.size()) {
      for (std::size_t i = 0; i < checks.size(); ++i) {
        checks.at(i).hits[0].id = MixHash(3, key + i);
      }
      ASSERT_EQ(store.Commit(batch, kStart), 0U);
      for (const Check& check : checks) {
        ASSERT_TRUE(check.outcomes[0].allowed);
        // The second round finds one unit in use, unless the key was forgotten.
        if (round == 1 &&
            check.outcomes[0].used == 2 * static_cast<std::uint64_t>(rule.quota.interval)) {
          ++again;
        }
      }
    }
  }
  // Half full, and sixteen places a key: hardly any is without one.
  EXPECT_LE(store.evictions(), kKeys / 500);
  EXPECT_GE(again, kKeys - kKeys / 500);
  EXPECT_LE(ResidentBytes() - before, kKeys * MemoryStore::kBytesPerKey + (8U << 20U));
}

}  // namespace
}  // namespace weir
