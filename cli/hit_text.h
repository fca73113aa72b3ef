#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cli/asker.h"
#include "weir/base/clock.h"

namespace weir::cli {

// What a run of hits came to.  A plain value.
struct HitTally {
  std::uint64_t asked = 0;
  std::map<std::string, std::uint64_t> words;  // How often each answer came.
  std::uint64_t over = 0;
  std::uint64_t refused = 0;
  Duration took{};

  std::uint64_t first_over_number = 0;  // Counted from 1; 0 if none was.
  std::optional<Heard> first_over;
  std::optional<Heard> first_refused;

  void Add(const Heard& heard);
};

// "OVER_LIMIT  50/SECOND, 0 left  retry-after: 1".
std::string HeardText(const Heard& heard);

// "80 asked in 12ms: 50 OK, 30 OVER_LIMIT", then what was first over the limit and first refused.
std::string TallyText(const HitTally& tally);

// "schema":"weir.hit/1", with a line break.
std::string TallyJson(const HitTally& tally);

// How long from one hit to the next at a rate such as "50/s", "5/min" or "50", a second's worth.
// Nothing if the text is not a rate above zero.
std::optional<Duration> ParseRate(std::string_view text);

}  // namespace weir::cli
