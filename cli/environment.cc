#include "cli/environment.h"

#include <string_view>

#include <unistd.h>

namespace weir::cli {

Environment ReadEnvironment() {
  Environment out;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view line = *at;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    out.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return out;
}

}  // namespace weir::cli
