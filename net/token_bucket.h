#pragma once

#include <cstdint>

#include "weir/base/clock.h"

namespace weir::net {

// How often a peer may do something that costs us and gains it nothing: `burst` at once, then
// `per_second`.  Driven by the caller's time.
class TokenBucket {
 public:
  TokenBucket(std::uint64_t burst, std::uint64_t per_second)
      : interval_(per_second == 0
                      ? Duration::max() / 2
                      : Duration(1'000'000'000 / static_cast<std::int64_t>(per_second))),
        burst_(burst),
        left_(burst) {}

  // False when none is left.
  bool Take(Instant now) {
    if (left_ < burst_ && now > last_) {
      const auto gained = static_cast<std::uint64_t>((now - last_) / interval_);
      left_ = gained >= burst_ - left_ ? burst_ : left_ + gained;
      last_ += interval_ * static_cast<std::int64_t>(gained);
    }
    if (left_ == burst_) last_ = now;
    if (left_ == 0) return false;
    --left_;
    return true;
  }

 private:
  Duration interval_;
  std::uint64_t burst_;
  std::uint64_t left_;
  Instant last_{};
};

}  // namespace weir::net
