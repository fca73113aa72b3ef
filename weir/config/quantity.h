#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "weir/base/clock.h"

namespace weir {

// Quantities as people write them.  Nothing is returned for texts that are not understood whole.

// "250ms", "30s", "1h", "1m30s", "10us", "2d"; "0" alone needs no unit.  Whole numbers or decimals
// ("1.5s"), never negative, at most 100 years.
std::optional<Duration> ParseDuration(std::string_view text);

// The shortest such text: "250ms", "1m30s", "0s".
std::string DurationText(Duration d);

// "50/s", "5/minute", "1000/day", "1/10s".
struct Rate {
  std::uint64_t count = 0;
  Duration per{};

  bool operator==(const Rate&) const = default;
};
std::optional<Rate> ParseRate(std::string_view text);

// "25%" or "25", 0 to 100.
std::optional<std::uint32_t> ParsePercent(std::string_view text);

// "4096", "64KiB", "16MiB", "1GiB", "10MB".
std::optional<std::uint64_t> ParseBytes(std::string_view text);

// A whole number without sign, with `_` between digits if wanted.
std::optional<std::uint64_t> ParseCount(std::string_view text);

// Whether the text is a date of the calendar, YYYY-MM-DD.  Such texts order as dates do.
bool IsDate(std::string_view text);

}  // namespace weir
