#pragma once

#include <optional>

#include "weir/config/findings.h"
#include "weir/config/load_options.h"
#include "weir/config/policy_source.h"
#include "weir/config/weir_block.h"
#include "weir/core/rule.h"

namespace weir {

// Checks a descriptor's rate_limit (which must be there) in the order of the reference service and
// makes a rule of it: quota, names, flags; failure policy and metadata are left to the caller.
// `own` is the descriptor's weir block, `defaults` its domain's.  Always returns a rule; if
// something is wrong with it, an error says so.
Rule ReadLimit(const DescriptorSource& descriptor, const WeirSettings& own,
               const WeirSettings& defaults, const LoadOptions& options, Findings& findings);

}  // namespace weir
