#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "net/loop.h"
#include "redis/connection.h"
#include "weir/fleet/live_count.h"

namespace weir::redis {

struct HeartbeatOptions {
  std::string key;  // Of the members' set: FleetKey().
  std::string id;   // This instance's, unlike any other's, also its own before a restart.
  Duration every = std::chrono::seconds(1);
  // An instance that was silent for longer, on the store's clock, is gone.
  Duration gone_after = std::chrono::seconds(5);
};

// "weir:fleet": the one key that is not a counter.
std::string FleetKey(std::string_view prefix);

// Says to the store that this instance lives, hears from it who else does, and tells a LiveCount.
//
// One short script every `every`: it adds this member with the store's time, drops those who were
// silent too long, and answers who is left.  The key goes by itself after `gone_after`.  A refused,
// lost or wrong answer, and one that is not there when the next beat is due, is a failure of the
// source; a late answer still counts as one.  Until the first answer a beat is tried every
// kFirstTries.
//
// Belongs to the loop's thread.
class Heartbeat final : private PendingCall {
 public:
  // The set never holds more: those heard longest ago are dropped.
  static constexpr std::uint32_t kMostMembers = 10'000;
  static constexpr Duration kFirstTries = std::chrono::milliseconds(100);

  // Told after each report to the LiveCount: kNone, or why there was no answer; `advice` says how
  // to mend that and may be empty.
  using Told = std::function<void(Cause cause, std::string_view why, std::string_view advice)>;

  // All must outlive the heartbeat, but for `connection`: that must have been closed before the
  // heartbeat dies.  `told` may be empty.
  Heartbeat(net::Loop& loop, Connection& connection, HeartbeatOptions options, LiveCount& fleet,
            Told told);

  // Neither beats nor reports any more: what follows is our own end.
  void Stop();

 private:
  void Beat();
  bool Send();
  void OnReply(const Reply& reply, const Now& now) override;
  void OnLost(Cause cause, bool may_have_run) override;
  void OnError(std::string_view text);
  bool Take(const Reply& reply, Instant now);
  void Fail(Cause cause, std::string_view why, std::string_view advice = {});

  net::Loop& loop_;
  Connection& connection_;
  const HeartbeatOptions options_;
  LiveCount& fleet_;
  const Told told_;
  net::Timer timer_;
  std::vector<std::string_view> members_;
  bool answered_ = false;  // Ever.
  bool load_ = false;      // The store has forgotten the script: send its text in front.
  bool stopped_ = false;
  std::uint32_t awaited_ = 0;  // Replies to come.
};

}  // namespace weir::redis
