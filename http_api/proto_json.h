#pragma once

#include <string>

#include "weir/answer/rate_limit_response.h"
#include "weir/core/value.h"

namespace weir::http_api {

// The proto3 JSON forms of Envoy's rate limit messages.  Pure.

// Appends `response` to `out` as RateLimitResponse: zero values left out, durations as "49s" or,
// where they are not whole seconds, rounded up to milliseconds, "0.020s".  `raw_body` is left out:
// whoever asks in JSON has no body to replace.
void AppendProtoResponse(const RateLimitResponse& response, std::string* out);

// google.protobuf.Duration in JSON: as above.  Negative durations count as zero.
void AppendProtoDuration(Duration duration, std::string* out);

// google.protobuf.Value in JSON.  Numbers that are no numbers become null.
void AppendProtoValue(const Value& value, std::string* out);

}  // namespace weir::http_api
