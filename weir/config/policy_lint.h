#pragma once

#include <string_view>
#include <vector>

#include "weir/config/findings.h"
#include "weir/config/load_options.h"
#include "weir/config/policy_source.h"

namespace weir {

// Findings about what is allowed but rarely meant; none stops anybody.

// About one text: quotes that should be there, capitals in a key.
void LintTexts(const DescriptorSource& descriptor, const LoadOptions& options, Findings& findings);

// About one descriptor: nothing in it that acts.  `explained`: its block gives a reason.
void LintEmptiness(const DescriptorSource& descriptor, bool explained, Findings& findings);

// A value that YAML reads as something else than text.
void LintPlainText(const Field<std::string>& field, std::string_view what, Findings& findings);

// About a list: descriptors that an earlier wildcard hides.  Looks at no more than
// kMostPatternsCompared earlier wildcards for each, so that long lists stay cheap.
inline constexpr std::size_t kMostPatternsCompared = 256;
void LintHidden(const std::vector<DescriptorSource>& list, const LoadOptions& options,
                Findings& findings);

}  // namespace weir
