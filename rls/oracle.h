#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "envoy/service/ratelimit/v3/rls.pb.h"
#include "rls/client_codec.h"
#include "rls/decode.h"
#include "weir/answer/rate_limit_response.h"

namespace weir::rls {

// Protobuf's own code as the judge of ours, for tests and fuzz targets.

using WireRequest = envoy::service::ratelimit::v3::RateLimitRequest;
using WireResponse = envoy::service::ratelimit::v3::RateLimitResponse;

// What differs between what protobuf and we read in a message; empty if nothing does.
std::string Difference(const WireRequest& theirs, const DecodedRequest& ours);
std::string Difference(const WireResponse& theirs, const ReceivedResponse& ours);
// What differs between an answer and what protobuf reads in our bytes for it.
std::string Difference(const WireResponse& theirs, const RateLimitResponse& ours);

// Reads `bytes`, well formed or not, both ways and compares.  We may refuse what protobuf accepts
// only for fields that no message defines and for our own bounds, and accept what it refuses only
// inside of quotas, which we skip.
std::string CompareRequest(std::span<const std::uint8_t> bytes);
std::string CompareResponse(std::span<const std::uint8_t> bytes);

// A message's bytes.
std::span<const std::uint8_t> BytesOf(const std::string& text);

}  // namespace weir::rls
