#pragma once

#include <string>
#include <vector>

namespace weir::cli {

// Runs the tool with the words behind the program's name, and returns its exit code (verbs.h).
// Results go to standard output, complaints to standard error.  Never throws.
int RunCommandLine(const std::vector<std::string>& words);

// The text of `weir help VERB`, which is that of `weir VERB --help`; without a verb that of
// `weir --help`.  Empty if there is no such verb.
std::string HelpText(const std::string& verb);

}  // namespace weir::cli
