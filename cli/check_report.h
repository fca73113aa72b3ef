#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "weir/config/diagnostic.h"
#include "weir/config/load_options.h"
#include "weir/config/settings.h"
#include "weir/config/source.h"

namespace weir::cli {

// What a process with these settings knows when it loads its policy.  `today` stays empty.
LoadOptions LoadOptionsOf(const Settings& settings);

// What `weir check` found.
struct CheckReport {
  std::vector<SourceFile> files;        // All that was read, for excerpts.
  std::vector<Diagnostic> diagnostics;  // Of all units, sorted by file and line.
  std::size_t policy_files = 0;
  std::size_t rules = 0;
  std::size_t domains = 0;                      // Of the units without an error.
  std::vector<std::string> unreadable;          // A sentence for each path that could not be read.
  std::vector<std::string> reference_refusals;  // Of units the reference service would refuse.
};

// Reads and checks policies: each directory is a unit by itself, and all the files among `paths`
// together are one.  A path that cannot be read does not keep the others from being checked.
CheckReport CheckPaths(const std::vector<std::string>& paths, const LoadOptions& options);

// kExitCannotStart if something could not be read, else kExitFound if there are errors (with
// `strict` warnings, too), else kExitDone.
int ExitOf(const CheckReport& report, bool strict);

// For people: the findings, then what it comes to.
std::string CheckText(const CheckReport& report, bool color);
// "schema":"weir.check/1", see RenderJson().
std::string CheckJson(const CheckReport& report);
// One workflow command (::error, ::warning) a finding, which GitHub shows beside the line.
std::string CheckGithub(const CheckReport& report);

}  // namespace weir::cli
