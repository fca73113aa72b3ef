#pragma once

#include <string_view>

namespace weir::cli {

// What `weir version` and weir_build_info tell.
inline constexpr std::string_view kVersion = "0.1.0";
#ifdef WEIR_REVISION
inline constexpr std::string_view kRevision = WEIR_REVISION;
#else
inline constexpr std::string_view kRevision = "unknown";
#endif

}  // namespace weir::cli
