#include "redis/heartbeat.h"

#include <algorithm>
#include <utility>

#include "redis/command.h"
#include "redis/error_reply.h"
#include "redis/script_texts.h"
#include "redis/scripts.h"

namespace weir::redis {

// ARGV: the member, the time after which one is gone, in milliseconds, how many may be kept, and
// how many are named.  Answers how many there are and, unless those are more, who.  Where the
// store's clock was set back, nobody lives in its future.
const std::string_view kHeartbeatText = R"lua(#!lua
local call=redis.call
local key,gone=KEYS[1],tonumber(ARGV[2])
local t=call('TIME')
local now=t[1]*1000+math.floor(t[2]/1000)
for _,member in ipairs(call('ZRANGEBYSCORE',key,'('..now,'+inf')) do
  call('ZADD',key,now,member)
end
call('ZADD',key,now,ARGV[1])
call('ZREMRANGEBYSCORE',key,'-inf',now-gone)
call('ZREMRANGEBYRANK',key,0,-1-ARGV[3])
call('PEXPIRE',key,gone)
local count=call('ZCARD',key)
local out={}
if count<=tonumber(ARGV[4]) then out=call('ZRANGE',key,0,-1) end
table.insert(out,1,count)
return out
)lua";

std::string FleetKey(std::string_view prefix) {
  return std::string(prefix) + "fleet";
}

Heartbeat::Heartbeat(net::Loop& loop, Connection& connection, HeartbeatOptions options,
                     LiveCount& fleet, Told told)
    : loop_(loop),
      connection_(connection),
      options_(std::move(options)),
      fleet_(fleet),
      told_(std::move(told)),
      timer_(loop, [this] { Beat(); }) {
  timer_.Set(loop_.now().steady);
}

void Heartbeat::Beat() {
  timer_.Set(loop_.now().steady +
             (answered_ ? options_.every : std::min(options_.every, kFirstTries)));
  // One at a time: a silent store shall not find a queue of them when it speaks again.
  if (awaited_ > 0) {
    // A first answer is not late before a whole beat has passed.
    if (answered_ || loop_.now().steady - sent() >= options_.every) {
      Fail(Cause::kTimeout, "no answer within a heartbeat");
    }
    return;
  }
  Send();
}

bool Heartbeat::Send() {
  const std::int64_t gone =
      std::chrono::duration_cast<std::chrono::milliseconds>(options_.gone_after).count();
  const std::uint32_t replies = load_ ? 2 : 1;
  const Cause refused = connection_.Send(
      *this,
      [&](std::string& out) {
        if (load_) AppendCommand(out, {"SCRIPT", "LOAD", TextOf(Script::kHeartbeat)});
        AppendCommandHead(out, 8);
        for (const std::string_view word :
             {std::string_view("EVALSHA"), DigestOf(Script::kHeartbeat), std::string_view("1"),
              std::string_view(options_.key), std::string_view(options_.id)}) {
          AppendArgument(out, word);
        }
        AppendArgument(out, gone);
        AppendArgument(out, std::int64_t{kMostMembers});
        AppendArgument(out, static_cast<std::int64_t>(LiveCount::kMostMembers));
      },
      replies);
  if (refused != Cause::kNone) {
    Fail(refused, "not connected");
    return false;
  }
  awaited_ = replies;
  return true;
}

void Heartbeat::OnReply(const Reply& reply, const Now& now) {
  if (--awaited_ > 0) return;
  if (reply.is_error()) return OnError(reply.text());
  load_ = false;
  if (!Take(reply, now.steady)) Fail(Cause::kProtocol, "an answer of another shape");
}

void Heartbeat::OnError(std::string_view text) {
  const ErrorReply error = Understand(text);
  if (error.remedy == Remedy::kReloadScript && !std::exchange(load_, true)) {
    Send();
    return;
  }
  Fail(error.cause, text, error.advice);
}

bool Heartbeat::Take(const Reply& reply, Instant now) {
  const std::size_t elements = reply.elements();
  if (elements == 0 || reply.size() != elements + 1) return false;
  if (reply.type(1) != Reply::Type::kInteger || reply.integer(1) <= 0) return false;
  const std::int64_t count = reply.integer(1);
  members_.clear();
  for (std::size_t i = 2; i <= elements; ++i) {
    if (reply.type(i) != Reply::Type::kString) return false;
    members_.push_back(reply.text(i));
  }
  answered_ = true;
  if (members_.empty()) {
    fleet_.ReportCount(static_cast<std::uint32_t>(std::min<std::int64_t>(count, kMostMembers)),
                       now);
  } else {
    fleet_.Report(members_, now);
  }
  if (told_) told_(Cause::kNone, {}, {});
  return true;
}

void Heartbeat::OnLost(Cause cause, bool) {
  awaited_ = 0;
  Fail(cause, "the connection was lost");
}

void Heartbeat::Stop() {
  stopped_ = true;
  timer_.Cancel();
}

void Heartbeat::Fail(Cause cause, std::string_view why, std::string_view advice) {
  if (stopped_) return;
  fleet_.ReportFailure(loop_.now().steady);
  if (told_) told_(cause, why, advice);
}

}  // namespace weir::redis
