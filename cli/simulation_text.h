#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/simulation.h"

namespace weir::cli {

// One mode's run of a scenario.
struct SimulatedMode {
  std::string_view name;  // "open", ...
  sim::SimulationResult result;
};

// What `weir simulate` prints: the scenario in a line, a strip of admissions a second for each
// mode, a table of modes, and one of tenants.
std::string SimulationText(const sim::Scenario& scenario, std::span<const SimulatedMode> modes);

// The same as one JSON object with a line break at its end; the same run gives the same bytes.
std::string SimulationJson(const sim::Scenario& scenario, std::span<const SimulatedMode> modes);

}  // namespace weir::cli
