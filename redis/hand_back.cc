#include "redis/hand_back.h"

#include <algorithm>
#include <cstring>

#include "redis/command.h"
#include "redis/script_call.h"
#include "redis/script_numbers.h"
#include "redis/scripts.h"
#include "weir/core/algorithm/window.h"
#include "weir/core/shared_quota.h"

namespace weir::redis {

void HandBackCall::Start(std::optional<std::int64_t> tick) {
  size_ = 0;
  key_text_.clear();
  argument_text_.clear();
  if (tick) {
    AppendArgument(argument_text_, *tick);
  } else {
    AppendArgument(argument_text_, std::string_view());
  }
}

void HandBackCall::Add(const HandBack& entry, const KeyWriter& keys) {
  Hit hit;
  hit.rule = entry.rule;
  hit.key = entry.key;
  keys.Write(hit, *entry.quota, scratch_);
  AppendArgument(key_text_, scratch_);
  ++size_;

  ScriptQuota quota = ScriptQuotaOf(*entry.quota);
  double numbers[7];
  if (entry.quota->algorithm == Algorithm::kTokenBucket) {
    numbers[4] = static_cast<double>(entry.local_full);
    numbers[5] = static_cast<double>(entry.seen_full);
    numbers[6] = entry.share;
  } else {
    numbers[4] = static_cast<double>(std::min(entry.units, WindowState::kMostCount));
    numbers[5] = static_cast<double>(entry.charged);
    numbers[6] = 0;
  }
  if (entry.quota->calendar) {
    const WindowSpan month = WindowAt(*entry.quota, SharedTicks::WallOf(entry.charged));
    quota.window = static_cast<double>(SharedTicks::TicksIn(month.length()));
    quota.shift = static_cast<double>(SharedTicks::TickOf(month.start));
  }
  numbers[0] = quota.limit;
  numbers[1] = quota.window;
  numbers[2] = quota.shift;
  numbers[3] = quota.life;
  char bytes[4 + sizeof numbers] = {static_cast<char>(quota.algorithm),
                                    static_cast<char>(entry.stop_at_limit ? 1 : 0)};
  std::memcpy(bytes + 4, numbers, sizeof numbers);
  AppendArgument(argument_text_, std::string_view(bytes, sizeof bytes));
}

void HandBackCall::AppendTo(std::string& out) const {
  AppendCommandHead(out, 4 + 2 * size_);
  AppendArgument(out, "EVALSHA");
  AppendArgument(out, DigestOf(Script::kHandBack));
  AppendArgument(out, static_cast<std::int64_t>(size_));
  out += key_text_;
  out += argument_text_;
}

std::optional<HandBackCall::Result> HandBackCall::ResultOf(const Reply& reply,
                                                           std::size_t i) const {
  if (i >= size_ || !reply.IsIntegers(1 + size_)) return {};
  const std::int64_t level = reply.integer(2 + i);
  return level == kForeign   ? Result::kForeign
         : level == kDropped ? Result::kWindowClosed
                             : Result::kAdded;
}

}  // namespace weir::redis
