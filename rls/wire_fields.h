#pragma once

#include <cstdint>

namespace weir::rls {

// Field numbers of the messages on the wire, by message (envoy.service.ratelimit.v3,
// envoy.extensions.common.ratelimit.v3, envoy.config.core.v3, google.protobuf).

using Field = std::uint32_t;

namespace request_field {
inline constexpr Field kDomain = 1;
inline constexpr Field kDescriptors = 2;
inline constexpr Field kHitsAddend = 3;
}  // namespace request_field

namespace descriptor_field {
inline constexpr Field kEntries = 1;
inline constexpr Field kLimit = 2;
inline constexpr Field kHitsAddend = 3;
inline constexpr Field kIsNegativeHits = 4;
}  // namespace descriptor_field

namespace entry_field {
inline constexpr Field kKey = 1;
inline constexpr Field kValue = 2;
}  // namespace entry_field

namespace limit_field {  // RateLimitOverride, and RateLimitResponse.RateLimit, which has a name
                         // too.
inline constexpr Field kRequestsPerUnit = 1;
inline constexpr Field kUnit = 2;
inline constexpr Field kName = 3;
}  // namespace limit_field

namespace response_field {
inline constexpr Field kOverallCode = 1;
inline constexpr Field kStatuses = 2;
inline constexpr Field kResponseHeaders = 3;
inline constexpr Field kRequestHeaders = 4;
inline constexpr Field kRawBody = 5;
inline constexpr Field kDynamicMetadata = 6;
}  // namespace response_field

namespace status_field {
inline constexpr Field kCode = 1;
inline constexpr Field kCurrentLimit = 2;
inline constexpr Field kLimitRemaining = 3;
inline constexpr Field kDurationUntilReset = 4;
}  // namespace status_field

namespace header_field {
inline constexpr Field kKey = 1;
inline constexpr Field kValue = 2;
inline constexpr Field kRawValue = 3;
}  // namespace header_field

namespace wrapper_field {  // google.protobuf.UInt64Value
inline constexpr Field kValue = 1;
}  // namespace wrapper_field

namespace duration_field {
inline constexpr Field kSeconds = 1;
inline constexpr Field kNanos = 2;
}  // namespace duration_field

namespace struct_field {  // And the entries of its map.
inline constexpr Field kFields = 1;
inline constexpr Field kEntryKey = 1;
inline constexpr Field kEntryValue = 2;
}  // namespace struct_field

namespace value_field {  // And google.protobuf.ListValue.
inline constexpr Field kNull = 1;
inline constexpr Field kNumber = 2;
inline constexpr Field kString = 3;
inline constexpr Field kBool = 4;
inline constexpr Field kStruct = 5;
inline constexpr Field kList = 6;
inline constexpr Field kListValues = 1;
}  // namespace value_field

// RateLimitResponse.Code.
enum class Code : std::uint8_t { kUnknown = 0, kOk = 1, kOverLimit = 2 };

}  // namespace weir::rls
