#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "weir/core/failure_policy.h"
#include "weir/core/policy.h"

namespace weir {

// What the process knows and a policy file does not.
struct LoadOptions {
  Profile profile = Profile::kNative;
  bool merge_domains = false;  // One domain in several files: join their lists.
  bool shared_store = false;   // A missing on_store_failure is an error, not a warning.
  bool portable = false;       // Refuse what the reference service would refuse.
  std::optional<FailureMode> default_on_store_failure;  // For rules and domains that say nothing.
  std::string today;             // "YYYY-MM-DD", for review_by; empty: dates are not compared.
  bool calendar_months = false;  // Fixed windows of a month are the UTC calendar's.
  std::uint32_t fleet_size = 0;  // Instances, for the share lint; 0: not known.
  bool fleet_expected_missing = false;  // Heartbeats without fleet.expected: no local_share.
};

}  // namespace weir
