#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "weir/base/clock.h"

namespace weir::cli {

// Values of environment variables as the reference service, a Go program, reads them.  All return
// nothing for a text that Go refuses, the empty one among them.

// strconv.ParseBool: 1 t T TRUE true True, 0 f F FALSE false False.
std::optional<bool> ParseGoBool(std::string_view text);

// strconv.ParseInt with base 0: a sign, then 0x, 0o, 0b or 0 for another base; `_` between digits.
std::optional<std::int64_t> ParseGoInt(std::string_view text);

// strconv.ParseFloat, decimal notation only; NaN and infinities are refused.
std::optional<double> ParseGoFloat(std::string_view text);

// time.ParseDuration: "10s", "1h30m", "1.5s", "-2ms", "0".
std::optional<Duration> ParseGoDuration(std::string_view text);

// "k:v,k:v": exactly one colon in each item.  An empty text is an empty map.
bool IsGoMap(std::string_view text);

}  // namespace weir::cli
