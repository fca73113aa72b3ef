#pragma once

#include <cstdint>

#include "weir/base/clock.h"
#include "weir/base/wide.h"

namespace weir {

// A part of `span`, from 0 to just below it, chosen by the 64 bits of `random`: full jitter.  Pure.
constexpr Duration JitterOf(std::uint64_t random, Duration span) {
  if (span <= Duration{}) return {};
  const Wide product = static_cast<Wide>(random) * static_cast<std::uint64_t>(span.count());
  return Duration(static_cast<std::int64_t>(static_cast<std::uint64_t>(product >> 64U)));
}

}  // namespace weir
