#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "weir/core/unit.h"

namespace weir {

// The question, in Envoy's words (envoy.service.ratelimit.v3).  All texts are views: whoever asks
// keeps them alive until the request has been matched.

struct Entry {
  std::string_view key;
  std::string_view value;  // May be empty.

  bool operator==(const Entry&) const = default;
};

// A limit that the request brings along instead of the one in the rules
// (RateLimitDescriptor.limit).  A unit of kUnknown makes it void: the rules apply.
struct LimitOverride {
  std::uint32_t requests_per_unit = 0;
  Unit unit = Unit::kUnknown;
};

struct Descriptor {
  std::span<const Entry> entries{};
  std::optional<LimitOverride> limit{};
  std::optional<std::uint64_t> cost{};  // Instead of the request's; 0 looks without spending.
  bool refund = false;                  // Gives `cost` back instead (is_negative_hits).
  WallTime charged{};                   // For a refund: when it was spent; WallTime{} if unknown.
};

struct Request {
  std::string_view domain;
  std::span<const Descriptor> descriptors;
  std::uint64_t cost = 1;   // 0 looks without spending.
  bool cost_given = false;  // The client wrote it, rather than a default: answers repeat it.

  // What logs say of the request; nothing here changes a decision.
  std::string_view id{};           // x-request-id; empty if it has none.
  std::string_view traceparent{};  // W3C trace context, as sent; empty if it has none.
};

}  // namespace weir
