#pragma once

#include <optional>
#include <span>
#include <string>

#include "http_api/request_reader.h"
#include "weir/answer/headers.h"
#include "weir/limiter/settle.h"

namespace weir::http_api {

// The proto3 JSON forms of Envoy's rate limit messages.  Pure.

// What a RateLimitResponse says.
struct ProtoAnswer {
  bool over_limit = false;
  std::span<const DescriptorStatus> statuses{};
  std::span<const HeaderLine> headers{};  // response_headers_to_add.
};

// Appends `answer` to `out` as RateLimitResponse: zero values left out, numbers beyond 32 bits as
// the largest uint32, an unlimited descriptor's remaining as 4294967295, durations as "49s" or,
// below whole seconds, rounded up to milliseconds, "0.020s".
void AppendProtoAnswer(const ProtoAnswer& answer, std::string* out);

// google.protobuf.Duration in JSON: as above.  Negative durations count as zero.
void AppendProtoDuration(Duration duration, std::string* out);

}  // namespace weir::http_api
