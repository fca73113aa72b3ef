#pragma once

#include <string_view>

namespace weir::redis {

// The Lua texts behind scripts.h; see there.
extern const std::string_view kTokenBucketText;
extern const std::string_view kFixedWindowText;
extern const std::string_view kSlidingWindowText;
extern const std::string_view kGeneralText;
extern const std::string_view kPlainText;
extern const std::string_view kProbeText;
extern const std::string_view kHeartbeatText;

}  // namespace weir::redis
