#include "sim/fault.h"

#include <algorithm>
#include <array>

namespace weir::sim {
namespace {

constexpr std::array<std::string_view, kFaultKinds> kNames = {
    "refuse",    "blackhole", "freeze",     "delay",   "loss",     "cut_before",
    "cut_after", "readonly",  "loading",    "oom",     "noscript", "cluster_down",
    "garbage",   "failover",  "clock_step", "eviction"};

}  // namespace

std::string_view NameOf(FaultKind kind) {
  return kNames.at(static_cast<std::size_t>(kind));
}

std::optional<FaultKind> ParseFaultKind(std::string_view text) {
  const auto found = std::find(kNames.begin(), kNames.end(), text);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<FaultKind>(found - kNames.begin());
}

bool StopsCounting(FaultKind kind) {
  switch (kind) {
    case FaultKind::kDelay:
    case FaultKind::kLoss:
    case FaultKind::kNoScript:
    case FaultKind::kClockStep:
    case FaultKind::kEviction:
      return false;
    default:
      return true;
  }
}

const Fault* ActingOn(std::span<const Fault> faults, std::size_t instance, Duration t) {
  for (const Fault& fault : faults) {
    if (fault.ActsAt(t) && fault.Hits(instance)) return &fault;
  }
  return nullptr;
}

}  // namespace weir::sim
