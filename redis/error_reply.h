#pragma once

#include <cstdint>
#include <string_view>

#include "weir/core/failure_policy.h"

namespace weir::redis {

// What to do about an error reply.
enum class Remedy : std::uint8_t {
  kUseMode,       // Nothing here helps: the rule's mode answers.
  kReloadScript,  // Load the script and repeat: nothing ran.
  kFollowMoved,   // Repeat at `target`; the slot lives there now.
  kFollowAsk,     // Repeat at `target` behind ASKING, this once.
  kWaitAndRetry,  // A slot is being moved: repeat a few times, some milliseconds apart.
  kRediscover,    // Drop the connection and find out who is in charge.
};

// An error reply, understood by its first word (and where Redis says "ERR" to everything, by what
// follows).
struct ErrorReply {
  Cause cause = Cause::kProtocol;
  Remedy remedy = Remedy::kUseMode;
  // Whether some of the call's writes may have been done.  False: surely none.
  bool may_have_run = false;
  // A person has to do something: `advice` says what.
  bool alert = false;
  std::string_view advice{};  // A sentence, static; empty where nothing helps.
  // kFollowMoved and kFollowAsk; views into the text.
  std::uint16_t slot = 0;
  std::string_view host{};  // Empty: the host that was asked.
  std::uint16_t port = 0;
};

// `text` without the leading '-'.  Unknown errors are protocol errors that may have run.
ErrorReply Understand(std::string_view text);

}  // namespace weir::redis
