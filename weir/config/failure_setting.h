#pragma once

#include <optional>

#include "weir/config/findings.h"
#include "weir/config/load_options.h"
#include "weir/config/yaml.h"
#include "weir/core/failure_policy.h"

namespace weir {

// Reads `on_store_failure`: one of the words, or the long form
//
//   {mode: local_share, split: learned, learned_weight: 0.75, causes: {oom: closed},
//    then: [{after: 10m, mode: closed}], strict_share: false, cold: closed}
//
// Nothing is returned if there is no mode to be had; everything wrong is a finding.
std::optional<FailurePolicy> ReadFailurePolicy(const YamlNode& node, const LoadOptions& options,
                                               Findings& findings);

// Whether the mode can come to act: by itself, for a cause, on a rung or in the cold.
bool UsesMode(const FailurePolicy& policy, FailureMode mode);

}  // namespace weir
