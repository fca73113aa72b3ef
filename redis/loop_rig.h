#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "net/loop.h"
#include "redis/command.h"
#include "redis/connection.h"
#include "weir/base/system_clock.h"

namespace weir::redis {

// A loop that the test turns by hand.
class LoopRig {
 public:
  net::Loop& loop() { return loop_; }

  // Turns until `done`; false if that takes longer than a test may.
  bool RunUntil(const std::function<bool()>& done) {
    const Instant end = clock_.Read().steady + std::chrono::seconds(20);
    net::Timer wake(loop_, [] {});
    while (!done()) {
      if (clock_.Read().steady > end) return false;
      wake.Set(clock_.Read().steady + std::chrono::milliseconds(100));
      uv_run(loop_.uv(), UV_RUN_ONCE);
    }
    return true;
  }
  Instant now() const { return clock_.Read().steady; }

 private:
  SystemClock clock_;
  net::Loop loop_{clock_};
};

// Remembers how it ended.
class CallForTest final : public PendingCall {
 public:
  void OnReply(const Reply& reply, const Now&) override {
    ++ended;
    is_error = reply.is_error();
    text = std::string(reply.text());
    integer = reply.integer();
    if (then) then();
  }
  void OnLost(Cause why, bool perhaps) override {
    ++ended;
    cause = why;
    may_have_run = perhaps;
  }

  int ended = 0;
  bool is_error = false;
  std::string text;
  std::int64_t integer = 0;
  Cause cause = Cause::kNone;
  bool may_have_run = false;
  std::function<void()> then;
};

class ObserverForTest final : public ConnectionObserver {
 public:
  void OnUp(const ServerFacts& facts) override {
    ++ups;
    last = facts;
  }
  void OnDown(Cause cause, std::string_view why) override {
    causes.push_back(cause);
    reasons.emplace_back(why);
  }

  int ups = 0;
  ServerFacts last;
  std::vector<Cause> causes;
  std::vector<std::string> reasons;
};

inline Cause SendWords(Connection& connection, CallForTest& call,
                       std::initializer_list<std::string_view> words) {
  return connection.Send(call, [&](std::string& out) { AppendCommand(out, words); });
}

}  // namespace weir::redis
