#pragma once

#include <cstdint>
#include <string>

#include "weir/answer/rate_limit_response.h"

namespace weir::rls {

// Replaces `out` by `response` as a serialized RateLimitResponse (envoy.service.ratelimit.v3).
// Texts that are not UTF-8 go out as they are.  Allocates only to grow `out`.
void EncodeResponse(const RateLimitResponse& response, std::string& out);

}  // namespace weir::rls
