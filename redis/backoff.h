#pragma once

#include <algorithm>
#include <cstdint>

#include "weir/base/clock.h"
#include "weir/base/hash.h"
#include "weir/base/wide.h"

namespace weir::redis {

// How long to wait before the next attempt: all of a span that doubles from 20 ms to 1 s, drawn
// evenly ("full jitter"), so that instances that lost a server together do not come back together.
class Backoff {
 public:
  static constexpr Duration kFirst = std::chrono::milliseconds(20);
  static constexpr Duration kMost = std::chrono::seconds(1);

  explicit Backoff(std::uint64_t seed) : seed_(seed) {}

  Duration Next() {
    const Duration span = SpanAt(attempts_);
    if (attempts_ < kDoublings) ++attempts_;
    const Wide product =
        static_cast<Wide>(MixHash(seed_, ++draws_)) * static_cast<std::uint64_t>(span.count() + 1);
    return Duration(static_cast<std::int64_t>(static_cast<std::uint64_t>(product >> 64U)));
  }
  // An attempt went well.
  void Reset() { attempts_ = 0; }

  // The longest wait before attempt `n`, counted from 0.
  static constexpr Duration SpanAt(std::uint32_t n) {
    return std::min(kFirst * (std::int64_t{1} << std::min(n, kDoublings)), kMost);
  }

 private:
  static constexpr std::uint32_t kDoublings = 6;

  std::uint64_t seed_;
  std::uint64_t draws_ = 0;
  std::uint32_t attempts_ = 0;
};

}  // namespace weir::redis
