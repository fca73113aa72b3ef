#include "redis/plain_call.h"

#include <algorithm>
#include <charconv>

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

// Neither gives back nor hands back.
bool Counts(const Hit& hit) {
  return !hit.refund && hit.purpose == Purpose::kCharge;
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

void PlainCall::Start(WallTime now, bool looks_first) {
  targets_.clear();
  hits_.clear();
  expected_.clear();
  commands_.clear();
  taken_ = 0;
  looks_first_ = looks_first;
  looking_ = looks_first;
  now_ = now;
}

void PlainCall::Add(Check& check, std::uint32_t hit, std::uint32_t jitter) {
  const Hit& h = check.hits[hit];
  const auto target = static_cast<std::uint32_t>(targets_.size());
  targets_.push_back({&check, hit});
  hits_.push_back({.expiry = SecondsOf(*h.quota) + jitter});
  if (Counts(h) && check.standstill != Standstill::kNo) {
    AppendLook(target);
  } else if (!looking_) {
    AppendCharge(target);
  }
}

void PlainCall::AppendLook(std::uint32_t target) {
  AppendCommandHead(commands_, 2);
  AppendArgument(commands_, "GET");
  AppendArgument(commands_, targets_[target].check->hits[targets_[target].hit].key);
  expected_.push_back({Expected::kLook, target});
}

void PlainCall::AppendCharge(std::uint32_t target) {
  const Hit& h = targets_[target].check->hits[targets_[target].hit];
  const bool special = !Counts(h);
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
  expected_.push_back({Expected::kCount, target});
  AppendCommandHead(commands_, 3);
  AppendArgument(commands_, "EXPIRE");
  AppendArgument(commands_, h.key);
  AppendArgument(commands_, hits_[target].expiry);
  expected_.push_back({Expected::kExpiry, target});
}

PlainCall::Taken PlainCall::Take(const Reply& reply) {
  const ExpectedReply expected = expected_[taken_++];
  const Taken taken{.is_count = expected.what != Expected::kExpiry, .target = expected.target};
  if (!taken.is_count) return taken;
  if (expected.what == Expected::kLook) {
    TakeLook(expected.target, reply);
  } else {
    hits_[expected.target].counted = true;
    if (reply.type() == Reply::Type::kInteger) {
      WriteOutcome(expected.target, reply.integer(), true);
    }
  }
  return taken;
}

// A key that is not there counts as 0, and so does a text that is no number: INCRBY will say so.
void PlainCall::TakeLook(std::uint32_t target, const Reply& reply) {
  HitState& hit = hits_[target];
  if (reply.is_error()) {
    hit.counted = true;
    return;
  }
  const std::string_view text = reply.text();
  std::from_chars(text.data(), text.data() + text.size(), hit.seen);
  if (looking_) return;
  hit.counted = true;
  WriteOutcome(target, hit.seen, false);
}

void PlainCall::EndLook() {
  looking_ = false;
  commands_.clear();
  expected_.clear();
  taken_ = 0;
  const auto over = [&](std::uint32_t target) {
    const Hit& h = targets_[target].check->hits[targets_[target].hit];
    const auto seen = static_cast<std::uint64_t>(std::max<std::int64_t>(0, hits_[target].seen));
    return Counts(h) && !hits_[target].counted &&
           (seen > h.quota->limit || h.cost > h.quota->limit - seen);
  };
  const auto size = static_cast<std::uint32_t>(targets_.size());
  for (std::uint32_t begin = 0, end = 0; begin < size; begin = end) {
    const Check* const check = targets_[begin].check;
    bool still = false;
    for (end = begin; end < size && targets_[end].check == check; ++end) {
      still = still || (check != nullptr && over(end));
    }
    if (check == nullptr) continue;  // Nobody waits for it any more.
    for (std::uint32_t i = begin; i < end; ++i) {
      if (hits_[i].counted) continue;
      if (still && Counts(check->hits[targets_[i].hit]) && !over(i)) {
        hits_[i].counted = true;
        WriteOutcome(i, hits_[i].seen, false);
      } else {
        AppendCharge(i);
      }
    }
  }
}

void PlainCall::WriteOutcome(std::uint32_t target, std::int64_t count, bool added) {
  Check* const check = targets_[target].check;
  if (check == nullptr) return;
  const Hit& hit = check->hits[targets_[target].hit];
  const Quota& quota = *hit.quota;
  const WindowState state(
      WindowState::NameOf(WindowAt(quota, now_).end, WindowState::Log2Of(quota)),
      static_cast<std::uint64_t>(std::clamp<std::int64_t>(count, 0, WindowState::kMostCount)));
  const Step step = Counts(hit) ? fixed_window::Add(state.bits(), quota, now_, 0)
                                : fixed_window::Charge(state.bits(), quota, now_, 0);
  Outcome outcome;
  outcome.allowed = step.allowed;
  outcome.added = added;
  outcome.used = step.used;
  outcome.retry = !step.allowed && hit.cost > quota.limit ? kNeverFits : step.retry;
  outcome.reset = step.reset;
  outcome.at = now_;
  check->outcomes[targets_[target].hit] = outcome;
}

}  // namespace weir::redis
