#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace weir {

// How limits are told to clients.  Names of header fields are lower case throughout: HTTP/2 and
// gRPC ask for it and HTTP/1.1 does not care.
enum class HeaderStyle : std::uint8_t {
  kOff,      // No limits at all; Retry-After stays what its own option says.
  kDraft11,  // draft-ietf-httpapi-ratelimit-headers-11, the same lines since -08.
  kDraft12,  // -12: `a` and `w` in the place of `r` and `t`.
  kDual,     // Both at once, for a transition.
  kEnvoy03,  // Envoy's enable_x_ratelimit_headers: DRAFT_VERSION_03.
  kXDelta,   // X-RateLimit-{Limit, Remaining, Reset}; reset in seconds from now.
  kGithub,   // The same with reset as Unix time, and used, and resource.
  kPlain,    // RateLimit-{Limit, Remaining, Reset}, as the reference service's by default.
  kDraft03,  // kPlain, the limit followed by all policies.
  kDraft06,  // kPlain and RateLimit-Policy: -04 to -06.
  kDraft07,  // One RateLimit dictionary and RateLimit-Policy.
};

// "off", "draft-11", "draft-12", "draft-11+12", "envoy-03", "x-delta", "github", "rls-service",
// "draft-03", "draft-06", "draft-07": the words of the configuration.
std::string_view NameOf(HeaderStyle style);
std::optional<HeaderStyle> ParseHeaderStyle(std::string_view text);

// Which policies a RateLimit field lists.
enum class Listing : std::uint8_t {
  kAll,       // Every one that applied, in the order given.
  kTightest,  // One: of those that denied the longest wait, else the least available by quota.
  kViolated,  // Those that denied; all where none did.
};

// "all", "tightest", "violated".
std::string_view NameOf(Listing listing);
std::optional<Listing> ParseListing(std::string_view text);

struct HeaderOptions {
  HeaderStyle style = HeaderStyle::kDraft11;
  Listing when_allowed = Listing::kAll;
  Listing when_denied = Listing::kViolated;
  bool retry_after = true;   // On answers that deny.
  bool token_names = false;  // Drafts: names as Tokens where they are ones.
  bool show_cost = false;    // draft-12: `c`, what this request cost.
  // Fixed windows, drafts 11 and 12: near a window's end never more is advertised than this many
  // times the rule's average rate (a SHOULD of both).  0 switches it off.
  std::uint32_t ratio_cap = 10;
};

}  // namespace weir
