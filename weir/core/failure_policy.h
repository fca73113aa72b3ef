#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "weir/base/clock.h"

namespace weir {

// What a rule answers while its shared counter gives no count.  There is no default: the owner of
// the rule chooses.
enum class FailureMode : std::uint8_t {
  kOpen,        // Admit.  Price: no protection.
  kClosed,      // Deny with 503.  Price: an outage of the store is an outage of the route.
  kLocalShare,  // Enforce limit x share here.  Price: strict on callers whose traffic is uneven.
  kStatic,      // Keep holding who was caught lately.  Price: nobody new is caught.
  kError,       // Reference profile only: answer the gRPC error the reference service would.
};

// "open", "closed", "local_share", "static", "error".
std::string_view NameOf(FailureMode mode);
std::optional<FailureMode> ParseFailureMode(std::string_view text);

// Why a store gave no count.
enum class Cause : std::uint8_t {
  kNone,
  kTimeout,
  kRefused,
  kReset,
  kReadonly,
  kLoading,
  kClusterDown,
  kMoved,
  kOom,
  kAuth,
  kScript,
  kProtocol,
  kQueueFull,
  kBreakerOpen,
};
inline constexpr std::size_t kCauses = 14;

// "timeout", "refused", ... as in metrics and `causes:`; "none".
std::string_view NameOf(Cause cause);
std::optional<Cause> ParseCause(std::string_view text);

enum class ShareSplit : std::uint8_t { kEven, kLearned };

// A rung of the ladder: after so long without the store, this mode instead.
struct FailureRung {
  Duration after{};
  FailureMode mode = FailureMode::kOpen;

  bool operator==(const FailureRung&) const = default;
};

// `on_store_failure` in full.  A plain value.
struct FailurePolicy {
  FailureMode mode = FailureMode::kOpen;
  ShareSplit split = ShareSplit::kEven;
  double learned_weight = 0.75;  // `a` of the learned split, in [0, 1].
  bool strict_share = false;     // Allow a share below one request.
  std::optional<FailureMode>
      cold{};  // kOpen, kClosed or kLocalShare: for a static rule just started.
  std::array<std::optional<FailureMode>, kCauses> causes{};  // Instead of `mode`, for one cause.
  std::vector<FailureRung> then{};                           // In rising order of `after`.

  bool operator==(const FailurePolicy&) const = default;
};

}  // namespace weir
