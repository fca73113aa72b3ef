#include "redis/plain_call.h"

#include <algorithm>

#include "redis/command.h"
#include "redis/script_numbers.h"
#include "redis/scripts.h"
#include "weir/core/algorithm/fixed_window.h"
#include "weir/core/algorithm/window.h"

namespace weir::redis {
namespace {

constexpr std::uint64_t kMostCost = (std::uint64_t{1} << 62U);

std::int64_t SecondsOf(const Quota& quota) {
  return std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(quota.window).count());
}

// A window that is over takes nothing: its key is not that of now.
bool IsOver(const Hit& hit, WallTime now) {
  return hit.charged != WallTime{} &&
         WindowAt(*hit.quota, hit.charged) != WindowAt(*hit.quota, now);
}

}  // namespace

bool PlainCall::Takes(const Check& check) {
  return std::all_of(check.hits.begin(), check.hits.end(), [](const Hit& hit) {
    return hit.purpose != Purpose::kProbe && hit.quota->algorithm == Algorithm::kFixedWindow;
  });
}

void PlainCall::Start(WallTime now) {
  targets_.clear();
  commands_.clear();
  taken_ = 0;
  now_ = now;
}

void PlainCall::Add(Check& check, std::uint32_t hit, std::uint32_t jitter) {
  const Hit& h = check.hits[hit];
  targets_.push_back({&check, hit});
  const bool special = h.refund || h.purpose == Purpose::kHandBack;
  const auto cost =
      static_cast<std::int64_t>(special && IsOver(h, now_) ? 0 : std::min(h.cost, kMostCost));
  if (special) {
    const std::int64_t most = h.purpose == Purpose::kHandBack && h.capped
                                  ? static_cast<std::int64_t>(h.quota->limit)
                                  : -1;
    AppendCommandHead(commands_, 6);
    AppendArgument(commands_, "EVALSHA");
    AppendArgument(commands_, DigestOf(Script::kPlain));
    AppendArgument(commands_, std::int64_t{1});
    AppendArgument(commands_, h.key);
    AppendArgument(commands_, h.refund ? -cost : cost);
    AppendArgument(commands_, most);
  } else {
    AppendCommandHead(commands_, 3);
    AppendArgument(commands_, "INCRBY");
    AppendArgument(commands_, h.key);
    AppendArgument(commands_, cost);
  }
  AppendCommandHead(commands_, 3);
  AppendArgument(commands_, "EXPIRE");
  AppendArgument(commands_, h.key);
  AppendArgument(commands_, SecondsOf(*h.quota) + jitter);
}

PlainCall::Taken PlainCall::Take(const Reply& reply) {
  const Taken taken{.is_count = taken_ % 2 == 0, .target = taken_ / 2};
  ++taken_;
  const ScriptCall::Target& target = targets_[taken.target];
  if (!taken.is_count || target.check == nullptr || reply.type() != Reply::Type::kInteger) {
    return taken;
  }
  const Hit& hit = target.check->hits[target.hit];
  const Quota& quota = *hit.quota;
  const auto count = static_cast<std::uint64_t>(
      std::clamp<std::int64_t>(reply.integer(), 0, WindowState::kMostCount));
  const WindowState state(
      WindowState::NameOf(WindowAt(quota, now_).end, WindowState::Log2Of(quota)), count);
  const bool counts = !hit.refund && hit.purpose == Purpose::kCharge;
  const Step step = counts ? fixed_window::Add(state.bits(), quota, now_, 0)
                           : fixed_window::Charge(state.bits(), quota, now_, 0);
  Outcome outcome;
  outcome.allowed = step.allowed;
  outcome.used = step.used;
  outcome.retry = !step.allowed && hit.cost > quota.limit ? kNeverFits : step.retry;
  outcome.reset = step.reset;
  outcome.at = now_;
  target.check->outcomes[target.hit] = outcome;
  return taken;
}

}  // namespace weir::redis
