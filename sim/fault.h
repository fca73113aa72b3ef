#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "weir/base/clock.h"

namespace weir::sim {

// What can be wrong with the shared store, or with the way to it.
enum class FaultKind : std::uint8_t {
  kRefuse,     // Nobody listens: connections are refused at once.
  kBlackhole,  // What is sent disappears, and nothing says so.
  kFreeze,     // The process stands still; what was sent is executed when it goes on.
  kDelay,      // Every answer comes `amount` later.
  kLoss,       // A packet in `one_in` is lost and sent again 200 ms later; order is kept.
  kCutBefore,  // The connection is cut before a call arrives.
  kCutAfter,   // The call is executed, and the connection is cut before its answer.
  kReadonly,   // Errors of the store itself, by their names in its protocol.
  kLoading,
  kOom,
  kNoScript,  // The scripts are forgotten: each connection loads them again, one round trip.
  kClusterDown,
  kGarbage,    // The call is executed, and its answer cannot be read.
  kFailover,   // Refused; then a replica takes over, which lacks the last `amount` of writes.
  kClockStep,  // The store's clock is ahead by `amount`, which may be negative, from then on.
  kEviction,   // One key in `one_in` is forgotten as the fault begins.
};
inline constexpr std::size_t kFaultKinds = 16;

// "refuse", "blackhole", "freeze", ...: the words of scenario files and reports.
std::string_view NameOf(FaultKind kind);
std::optional<FaultKind> ParseFaultKind(std::string_view text);

// From `from` to `to`, since the start of the run.
struct Fault {
  FaultKind kind = FaultKind::kBlackhole;
  Duration from{};
  Duration to{};
  Duration amount{};
  std::uint32_t one_in = 10;
  // Bit i: instance i suffers.  A fault of the store itself is everybody's.
  std::uint64_t instances = ~std::uint64_t{0};

  bool ActsAt(Duration t) const { return t >= from && t < to; }
  bool Hits(std::size_t instance) const { return (instances >> (instance % 64) & 1U) != 0; }
};

// Whether the fault leaves the store unable to count, so that rules fall back to their modes.
bool StopsCounting(FaultKind kind);

// The first of `faults` that acts on this instance; null if none does.
const Fault* ActingOn(std::span<const Fault> faults, std::size_t instance, Duration t);

}  // namespace weir::sim
