#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weir/core/descriptor.h"

namespace weir::rls {

// More than these in one request and it is refused; they bound the memory that is kept (3 MiB).
inline constexpr std::size_t kMostDescriptors = 8192;
inline constexpr std::size_t kMostEntries = 65'536;  // In all descriptors together.

// A RateLimitRequest (envoy.service.ratelimit.v3), decoded into core values.  Reuse one per call
// slot: it keeps its memory.
struct DecodedRequest {
  // Texts point into the bytes that were decoded.
  Request request;

  // What `request` points to.
  std::vector<Entry> entries;
  std::vector<Descriptor> descriptors;
};

// Reads `bytes`, a serialized RateLimitRequest.  False if they are not one: malformed wire format
// (groups and reserved field numbers among it), text that is not UTF-8, or more than the bounds
// above.  Unknown fields, and known ones in another wire type, are skipped.
//
// hits_addend: 0 or absent means 1 for the request, and then it is not `cost_given`; a descriptor's
// own, when present, counts also when it is 0.  A limit's unit is read by number, as those of
// answers: 7, which envoy.type.v3.RateLimitUnit lacks, is the week; a number without a unit is
// Unit::kUnknown.  Allocates nothing once `out` has seen requests of that size.
bool DecodeRequest(std::span<const std::uint8_t> bytes, DecodedRequest& out);

}  // namespace weir::rls
