#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rls/wire_fields.h"
#include "rls/wire_reader.h"
#include "weir/core/descriptor.h"
#include "weir/core/value.h"

namespace weir::rls {

// The other side of the contract: asking, and reading the answer.

// Replaces `out` by `request` as a serialized RateLimitRequest (envoy.service.ratelimit.v3).
//
// A request's cost that its field cannot say (zero, which would mean one, or above 32 bits) goes
// into every descriptor that has no cost of its own.  Texts must be UTF-8.
void EncodeRequest(const Request& request, std::string& out);

struct ReceivedStatus {
  Code code = Code::kUnknown;
  bool has_limit = false;  // current_limit is present; the next three are its fields.
  std::uint32_t requests_per_unit = 0;
  Unit unit = Unit::kUnknown;
  std::string_view name;
  std::uint32_t remaining = 0;
  Duration reset{};  // Saturates at the ends of Duration.

  bool operator==(const ReceivedStatus&) const = default;
};

struct ReceivedHeader {
  std::string_view key;
  std::string_view value;  // raw_value where value is empty.

  bool operator==(const ReceivedHeader&) const = default;
};

// A RateLimitResponse.  Views point into the message it was read from.
struct ReceivedResponse {
  Code code = Code::kUnknown;  // Also for numbers that name no code.
  std::vector<ReceivedStatus> statuses;
  std::vector<ReceivedHeader> response_headers;
  std::vector<ReceivedHeader> request_headers;
  std::string_view raw_body;
  std::optional<Value::Struct> metadata;

  // Empties everything, keeps the vectors' memory.
  void Clear();
};

// More of these in one response is kTooMany; they bound the memory that is kept.
inline constexpr std::size_t kMostReceivedStatuses = 8192;
inline constexpr std::size_t kMostReceivedHeaders = 1024;

// Reads a RateLimitResponse into `out`, whose memory it reuses.  Unknown fields are skipped,
// and so are quotas, which nobody uses.  `out` is empty if the message is refused.
Decoding DecodeResponse(std::span<const std::uint8_t> message, ReceivedResponse& out);

}  // namespace weir::rls
