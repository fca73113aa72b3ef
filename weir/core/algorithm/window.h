#pragma once

#include <bit>
#include <cstdint>

#include "weir/base/clock.h"
#include "weir/core/quota.h"

namespace weir {

// A window of a fixed or sliding limit: [start, end) on the wall clock, aligned to the epoch, or to
// the UTC calendar's months where the quota says so.
struct WindowSpan {
  WallTime start;
  WallTime end;

  Duration length() const { return end - start; }
  bool operator==(const WindowSpan&) const = default;
};

WindowSpan WindowAt(const Quota& quota, WallTime now);

// The packed state of one window's count: 24 bits that name the window, 40 bits of count.
//
// The name is the window's end in units of 2^log2 ns, where 2^log2 is the largest power of two that
// fits into the quota's window: consecutive windows differ, and whoever knows log2 can tell
// whether the window is over without knowing the rule.  Names repeat after 2^24 units (97 days for
// one-second windows), so a store clears dead counts within a quarter of that.
class WindowState {
 public:
  static constexpr std::uint64_t kMostCount = (1ULL << 40U) - 1;  // Counts stop here.
  static constexpr std::uint32_t kNameBits = 24;

  WindowState() = default;
  explicit WindowState(std::uint64_t bits) : bits_(bits) {}
  WindowState(std::uint32_t name, std::uint64_t count)
      : bits_(static_cast<std::uint64_t>(name) << 40U | count) {}

  std::uint64_t bits() const { return bits_; }
  std::uint32_t name() const { return static_cast<std::uint32_t>(bits_ >> 40U); }
  std::uint64_t count() const { return bits_ & kMostCount; }

  // The count, if the state belongs to the window called `name`; else 0.
  std::uint64_t CountIn(std::uint32_t name) const { return this->name() == name ? count() : 0; }

  // The largest power of two in the window's nominal length.  In [19, 54].
  static std::uint32_t Log2Of(const Quota& quota) {
    return static_cast<std::uint32_t>(
        std::bit_width(static_cast<std::uint64_t>(quota.window.count())) - 1);
  }
  static std::uint32_t NameOf(WallTime end, std::uint32_t log2) {
    const auto ns = static_cast<std::uint64_t>(end.time_since_epoch().count());
    return static_cast<std::uint32_t>((ns + (1ULL << log2) - 1) >> log2) & ((1U << kNameBits) - 1);
  }
  // Whether the window ended at least `grace` units of 2^log2 ns ago.  Never true too early.
  bool IsOver(WallTime now, std::uint32_t log2, std::uint32_t grace) const {
    const auto ns = static_cast<std::uint64_t>(now.time_since_epoch().count());
    const auto unit = static_cast<std::uint32_t>(ns >> log2);
    const std::uint32_t since = (unit - name() - grace) << (32U - kNameBits);
    return static_cast<std::int32_t>(since) >= 0;
  }

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace weir
