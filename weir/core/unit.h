#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "weir/base/clock.h"

namespace weir {

// The time units of a limit, numbered as RateLimitResponse.RateLimit.Unit on the wire
// (envoy.service.ratelimit.v3; WEEK came last, hence the order).
enum class Unit : std::uint8_t {
  kUnknown = 0,  // The window is not one unit long, for example `window: 10s`.
  kSecond = 1,
  kMinute = 2,
  kHour = 3,
  kDay = 4,
  kMonth = 5,  // 30 days, unless the rule asks for calendar months.
  kYear = 6,   // 365 days.
  kWeek = 7,   // Aligned to the epoch: windows start on Thursday, 00:00 UTC.
};

// How long the unit lasts; zero for kUnknown.
Duration LengthOf(Unit unit);

// "SECOND", "MINUTE", ...; "UNKNOWN" for kUnknown.
std::string_view NameOf(Unit unit);

// "s", "min", "h", "day", "week", "month", "year": as in "50/s"; empty for kUnknown.
std::string_view ShortNameOf(Unit unit);

// Reads "second", "Minute", ... in any case.  Nothing for other texts, "unknown" among them.
std::optional<Unit> ParseUnit(std::string_view text);

// The unit with this wire number; kUnknown for numbers that name none.
Unit UnitFromWire(std::uint64_t number);

}  // namespace weir
