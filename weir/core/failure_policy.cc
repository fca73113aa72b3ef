#include "weir/core/failure_policy.h"

namespace weir {
namespace {

constexpr std::array<std::string_view, 5> kModes = {"open", "closed", "local_share", "static",
                                                    "error"};
constexpr std::array<std::string_view, kCauses> kCauseNames = {
    "none",  "timeout", "refused", "reset",  "readonly", "loading",    "cluster_down",
    "moved", "oom",     "auth",    "script", "protocol", "queue_full", "breaker_open"};

template <typename E, std::size_t N>
std::optional<E> Find(const std::array<std::string_view, N>& names, std::string_view text) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names.at(i) == text) return static_cast<E>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view NameOf(FailureMode mode) {
  return kModes.at(static_cast<std::size_t>(mode));
}
std::optional<FailureMode> ParseFailureMode(std::string_view text) {
  return Find<FailureMode>(kModes, text);
}

std::string_view NameOf(Cause cause) {
  return kCauseNames.at(static_cast<std::size_t>(cause));
}
std::optional<Cause> ParseCause(std::string_view text) {
  const auto cause = Find<Cause>(kCauseNames, text);
  return cause == Cause::kNone ? std::nullopt : cause;
}

}  // namespace weir
