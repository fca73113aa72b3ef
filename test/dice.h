#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace weir {

// The seed of all property tests: WEIR_TEST_SEED from the environment if set, else one that never
// changes, so that a run repeats exactly.
inline std::uint64_t TestSeed() {
  const char* const text = std::getenv("WEIR_TEST_SEED");  // NOLINT(concurrency-mt-unsafe)
  return text == nullptr ? 20'231'114 : std::strtoull(text, nullptr, 0);
}

// What a failing property should print: `SCOPED_TRACE(SeedNote());`.
inline std::string SeedNote() {
  return "repeat with WEIR_TEST_SEED=" + std::to_string(TestSeed());
}

// Chance for property tests (splitmix64): equal seeds give equal numbers with every compiler and
// standard library.  Give each test a `stream` of its own.
class Dice {
 public:
  explicit Dice(std::uint64_t stream) : state_(TestSeed() + stream * 0x9e3779b97f4a7c15ULL) {}

  std::uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t x = state_;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31U);
  }
  // In [low, high].
  std::uint64_t Between(std::uint64_t low, std::uint64_t high) {
    const std::uint64_t span = high - low + 1;
    return span == 0 ? Next() : low + Next() % span;
  }
  // In [low, high], every order of magnitude as likely as the next.  REQUIRES: 0 < low.
  std::uint64_t Scaled(std::uint64_t low, std::uint64_t high) {
    const auto bits = static_cast<unsigned>(Between(static_cast<unsigned>(std::bit_width(low)),
                                                    static_cast<unsigned>(std::bit_width(high))));
    const std::uint64_t least = std::uint64_t{1} << (bits - 1);
    const std::uint64_t drawn = Between(least, least + (least - 1));
    return drawn < low ? low : drawn > high ? high : drawn;
  }
  // True once in `n` throws.
  bool OneIn(std::uint64_t n) { return Next() % n == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace weir
