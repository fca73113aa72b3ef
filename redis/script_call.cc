#include "redis/script_call.h"

#include <array>
#include <cstring>

#include "redis/command.h"
#include "redis/script_numbers.h"
#include "weir/core/shared_quota.h"

namespace weir::redis {
namespace {

// Operations, as the general script numbers them.
constexpr std::uint8_t kCharge = 0;
constexpr std::uint8_t kAdd = 1;
constexpr std::uint8_t kRefund = 2;
constexpr std::uint8_t kHandBack = 3;
constexpr std::uint8_t kHandBackCapped = 4;
constexpr char kLastOfGroup = 1;
constexpr char kMayCarry = 2;

// Four bytes, the last of which is the flags', nine numbers, a line's end.
constexpr std::size_t kGroupArgumentBytes = 4 + 9 * sizeof(double);
constexpr std::size_t kFlagsFromEnd = kGroupArgumentBytes + 2 - 3;

// Whether the hit is counted even beyond its limit.
bool Adds(const Check& check, const Hit& hit) {
  return check.charging == Charging::kEach && !hit.refund && hit.purpose == Purpose::kCharge &&
         hit.quota->algorithm == Algorithm::kFixedWindow;
}

// Whether the hit only looks where its check stands still.
bool MayStandStill(const Check& check, const Hit& hit) {
  return check.charging == Charging::kEach && check.standstill != Standstill::kNo && !hit.refund &&
         hit.purpose == Purpose::kCharge;
}

ScriptCall::Role RoleOf(const Check& check, const Hit& hit) {
  using Role = ScriptCall::Role;
  if (MayStandStill(check, hit)) {
    return check.standstill == Standstill::kNow ? Role::kStill : Role::kStillWhenOver;
  }
  if (check.charging == Charging::kEach) return Role::kAlone;
  return hit.not_enforced == NotEnforced::kNo     ? Role::kEnforcing
         : hit.not_enforced == NotEnforced::kSoft ? Role::kSoft
                                                  : Role::kNoSay;
}

bool Carries(const Hit& hit) {
  return hit.previous_id != 0 && hit.rule->carried && FitsSharedStore(hit.rule->carried->quota);
}

std::uint8_t OperationOf(const Check& check, const Hit& hit) {
  if (hit.purpose == Purpose::kHandBack) return hit.capped ? kHandBackCapped : kHandBack;
  return hit.refund ? kRefund : Adds(check, hit) ? kAdd : kCharge;
}

std::uint8_t ByteOf(double small) {
  return static_cast<std::uint8_t>(small);
}

// Four small numbers, then doubles, as struct.unpack('<BBBBdd...') takes them apart.
template <std::size_t N>
void AppendRecord(std::string& out, const std::array<std::uint8_t, 4>& head,
                  const std::array<double, N>& numbers) {
  char bytes[4 + N * sizeof(double)];
  std::memcpy(bytes, head.data(), 4);
  std::memcpy(bytes + 4, numbers.data(), N * sizeof(double));
  AppendArgument(out, std::string_view(bytes, sizeof bytes));
}

std::int64_t ChargedTick(const Hit& hit) {
  return hit.charged == WallTime{} ? -1 : SharedTicks::TickOf(hit.charged);
}

// What a level of "everything spent" under the old quota is worth under the new one.
double WorthOf(const Quota& now, const Quota& old) {
  const std::uint64_t units = std::min(now.capacity(), old.capacity());
  if (now.algorithm != Algorithm::kTokenBucket) return static_cast<double>(units);
  return static_cast<double>(units) * static_cast<double>(SharedInterval(now));
}

}  // namespace

Script ScriptCall::ScriptFor(const Check& check) {
  if (check.hits.size() != 1) return Script::kGeneral;
  const Hit& hit = check.hits.front();
  if (hit.purpose == Purpose::kProbe) return Script::kProbe;
  if (hit.purpose != Purpose::kCharge || hit.refund || ScriptEpochOf(hit).length > 0 ||
      Carries(hit) || hit.quota->calendar || Adds(check, hit) || MayStandStill(check, hit)) {
    return Script::kGeneral;
  }
  switch (hit.quota->algorithm) {
    case Algorithm::kTokenBucket:
      return Script::kTokenBucket;
    case Algorithm::kFixedWindow:
      return Script::kFixedWindow;
    case Algorithm::kSlidingWindow:
      return Script::kSlidingWindow;
  }
  return Script::kGeneral;
}

void ScriptCall::Start(Script script, std::optional<std::int64_t> tick) {
  script_ = script;
  targets_.clear();
  keys_ = 0;
  key_text_.clear();
  argument_text_.clear();
  arguments_ = 1;
  if (tick) {
    AppendArgument(argument_text_, *tick);
  } else {
    AppendArgument(argument_text_, std::string_view());
  }
}

void ScriptCall::AddKey(const Hit& hit, const Quota& quota, const KeyWriter& keys) {
  keys.Write(hit, quota, scratch_);
  AppendArgument(key_text_, scratch_);
  ++keys_;
}

void ScriptCall::AddLean(Check& check, std::uint32_t hit, const KeyWriter& keys) {
  const Hit& h = check.hits[hit];
  targets_.push_back({&check, hit});
  if (script_ == Script::kProbe) return;
  AddKey(h, *h.quota, keys);
  ++arguments_;
  const ScriptQuota quota = ScriptQuotaOf(*h.quota);
  const double cost = ScriptCostOf(h);
  if (script_ == Script::kTokenBucket) {
    AppendPacked(argument_text_, {cost, quota.limit, quota.life});
  } else {
    AppendPacked(argument_text_, {cost, quota.limit, quota.window, quota.shift, quota.life});
  }
}

void ScriptCall::AddToGroup(Check& check, std::uint32_t hit, Role role, const KeyWriter& keys) {
  const Hit& h = check.hits[hit];
  targets_.push_back({&check, hit});
  AddKey(h, *h.quota, keys);
  ++arguments_;
  const ScriptQuota quota = ScriptQuotaOf(*h.quota);
  const ScriptEpoch epoch = ScriptEpochOf(h);
  const bool carries = Carries(h);
  AppendRecord<9>(
      argument_text_,
      {ByteOf(quota.algorithm), OperationOf(check, h), static_cast<std::uint8_t>(role),
       static_cast<std::uint8_t>(carries ? kMayCarry : 0)},
      {ScriptCostOf(h), quota.limit, quota.window, quota.shift, quota.life,
       static_cast<double>(ChargedTick(h)), static_cast<double>(std::min(h.cost, kLargestLimit)),
       epoch.length, epoch.shift});
  flags_at_ = argument_text_.size() - kFlagsFromEnd;
  if (!carries) return;
  const Quota& before = h.rule->carried->quota;
  AddKey(h, before, keys);
  ++arguments_;
  const ScriptQuota old = ScriptQuotaOf(before);
  AppendRecord<4>(argument_text_, {ByteOf(old.algorithm), 0, 0, 0},
                  {old.limit, old.window, old.shift, WorthOf(*h.quota, before)});
}

void ScriptCall::EndGroup() {
  if (targets_.empty()) return;
  argument_text_[flags_at_] = static_cast<char>(argument_text_[flags_at_] | kLastOfGroup);
}

void ScriptCall::AddGroup(Check& check, const KeyWriter& keys) {
  bool any = false;
  for (std::uint32_t i = 0; i < check.hits.size(); ++i) {
    const Hit& hit = check.hits[i];
    if (!FitsSharedStore(*hit.quota)) continue;
    any = true;
    AddToGroup(check, i, RoleOf(check, hit), keys);
  }
  if (any) EndGroup();
}

void ScriptCall::AppendTo(std::string& out) const {
  AppendCommandHead(out, 3 + keys_ + arguments_);
  AppendArgument(out, "EVALSHA");
  AppendArgument(out, DigestOf(script_));
  AppendArgument(out, static_cast<std::int64_t>(keys_));
  out += key_text_;
  out += argument_text_;
}

std::optional<std::int64_t> ScriptCall::TickIn(const Reply& reply) {
  if (reply.elements() == 0 || reply.type(1) != Reply::Type::kInteger) return {};
  const std::int64_t tick = reply.integer(1);
  if (tick < 0 || tick > -kForeign) return {};
  return tick;
}

bool ScriptCall::Fill(const Reply& reply) const {
  const std::size_t per_hit = script_ == Script::kGeneral         ? 3
                              : script_ == Script::kSlidingWindow ? 2
                                                                  : 1;
  const std::optional<std::int64_t> tick = TickIn(reply);
  const std::size_t levels = script_ == Script::kProbe ? 0 : targets_.size() * per_hit;
  if (!tick || !reply.IsIntegers(1 + levels)) return false;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const Target& target = targets_[i];
    if (target.check == nullptr) continue;
    Outcome& outcome = target.check->outcomes[target.hit];
    if (script_ == Script::kProbe) {
      outcome = Outcome{};
    } else {
      const std::size_t at = 2 + i * per_hit;
      outcome = OutcomeAt({.level = reply.integer(at),
                           .previous = per_hit > 1 ? reply.integer(at + 1) : 0,
                           .fleet = per_hit > 2 ? reply.integer(at + 2) : 0},
                          target, *tick);
    }
    outcome.at = SharedTicks::WallOf(*tick);
  }
  return true;
}

Outcome ScriptCall::OutcomeAt(const Answer& answer, const Target& target, std::int64_t tick) {
  const Hit& hit = target.check->hits[target.hit];
  constexpr auto kMost = static_cast<std::int64_t>(kLargestLimit) + 1;
  const bool still = answer.fleet < 0 && MayStandStill(*target.check, hit);
  const std::int64_t fleet = still ? -1 - answer.fleet : answer.fleet;
  Outcome outcome;
  if (answer.level == kForeign) {
    outcome.cause = Cause::kScript;
  } else if (!PlausibleLevel(*hit.quota, answer.level) || answer.previous < 0 ||
             answer.previous > kMost || fleet < 0) {
    outcome.cause = Cause::kProtocol;
    outcome.ambiguous = true;
  } else {
    outcome = OutcomeOf(hit, Adds(*target.check, hit), answer.level, answer.previous, tick);
    outcome.fleet = static_cast<std::uint64_t>(fleet);
    outcome.added = !still;
  }
  return outcome;
}

}  // namespace weir::redis
