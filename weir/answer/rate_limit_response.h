#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "weir/answer/headers.h"
#include "weir/answer/problem.h"
#include "weir/answer/reference_headers.h"
#include "weir/core/check.h"
#include "weir/core/decision.h"
#include "weir/core/value.h"
#include "weir/limiter/settle.h"

namespace weir {

// One entry of RateLimitResponse.statuses (envoy.service.ratelimit.v3).
struct ResponseStatus {
  bool over = false;
  bool has_limit = false;  // Whether current_limit is present.
  std::uint32_t requests_per_unit = 0;
  Unit unit = Unit::kUnknown;
  std::string_view name;
  std::uint32_t remaining = 0;
  Duration reset{};  // duration_until_reset; only with a limit.
};

// The answer in Envoy's terms, as values: what rls/ writes as protobuf and http_api/ as JSON.
// Views point into the check, its policy, and the composer that made it.
struct RateLimitResponse {
  bool over = false;                         // overall_code.
  std::span<const ResponseStatus> statuses;  // One for each descriptor, in order.
  std::span<const HeaderLine> headers;       // response_headers_to_add.
  std::string_view raw_body;                 // Body of the refusal; empty for none.
  const Value::Struct* metadata = nullptr;   // dynamic_metadata; null for none.
  bool globally_shadowed = false;            // Would have been over, but for `global_shadow`.
};

// How answers are composed.  The reference profile's part carries the reference service's switches
// by its names; its answers have nothing that it would not send.
struct ResponseOptions {
  // -- native profile --
  HeaderOptions headers;
  bool problem_bodies = true;  // A refusal carries application/problem+json.
  // -- reference profile --
  bool reference_headers = false;  // LIMIT_RESPONSE_HEADERS_ENABLED
  ReferenceHeaderNames reference_names;
  bool global_shadow = false;  // SHADOW_MODE
  bool global_quota = false;   // QUOTA_MODE
  // -- both --
  bool dynamic_metadata = false;  // RESPONSE_DYNAMIC_METADATA
};

// Composes answers.  One for each loop: keeps its memory and, with metadata off, allocates nothing
// once warm.  Not thread-safe.
class ResponseComposer {
 public:
  explicit ResponseComposer(const ResponseOptions& options) : options_(options) {}

  // The answer to `request` once `check` is complete and decided.  Valid until the next call.
  const RateLimitResponse& Compose(const Request& request, const Check& check,
                                   const Decision& decision, const Now& now);

 private:
  void ComposeNative(const Request& request, const Check& check, const Decision& decision,
                     const Now& now);
  void ComposeReference(const Check& check);
  void WriteStatuses(const Check& check);

  const ResponseOptions options_;
  RateLimitResponse response_;
  std::vector<DescriptorStatus> settled_;
  std::vector<ResponseStatus> statuses_;
  std::vector<ReferenceStatus> reference_;
  std::vector<Applied> applied_;
  std::vector<HeaderLine> with_type_;
  HeaderLines lines_;
  ProblemBody problem_;
  Value::Struct metadata_;
};

// What the reference service's headers are chosen from, one for each of `settled`, which
// StatusesOf() made of `check`.  With `global_quota` no status is hard.  `out` is replaced.
void ReferenceStatusesOf(const Check& check, std::span<const DescriptorStatus> settled,
                         bool global_quota, std::vector<ReferenceStatus>& out);

// {"weir": {"status": "unavailable"}}: what a refusal says that fails closed.  Envoy knows only 429
// for OVER_LIMIT; its local_reply_config tells by this metadata, under
// envoy.filters.http.ratelimit, that the answer is to be 503 (docs/envoy.md).
Value::Struct UnavailableMetadata();

// What RESPONSE_DYNAMIC_METADATA sends back: the domain, the descriptors as asked, and the merged
// `metadata` of every rule whose descriptor passed, the first winning where two disagree.
// `hitsAddend` is there where the client wrote one: on the request, and on each descriptor.
Value::Struct DynamicMetadata(const Request& request, const Check& check,
                              std::span<const ResponseStatus> statuses);

// The levels of the check's rules as the header writer wants them.  `out` is replaced.
void AppliedOf(const Check& check, std::vector<Applied>& out);

}  // namespace weir
