#pragma once

#include <functional>
#include <map>
#include <string>

namespace weir::cli {

// Environment variables by name.  Set but empty is not the same as not set.
using Environment = std::map<std::string, std::string, std::less<>>;

// This process's.  Not thread-safe beside setenv(3).
Environment ReadEnvironment();

}  // namespace weir::cli
