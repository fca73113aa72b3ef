#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "weir/base/clock.h"

namespace weir::net {

class Loop;
class TimerQueue;

// Calls back once, at or after an exact instant, never before it.
//
// Timers of a turn fire after the turn's sockets were read, so an answer that arrived in time is
// seen before its deadline is.  Belongs to the loop's thread; must not outlive the loop.
class Timer {
 public:
  Timer(Loop& loop, std::function<void()> on_time);
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer();

  // Replaces the instant set before.  kNever cancels.  May be called from the callback; an instant
  // already past fires in this turn or the next.
  void Set(Instant when);
  void Cancel() { Set(kNever); }

  // kNever if nothing is set.
  Instant when() const { return when_; }

 private:
  friend class TimerQueue;
  static constexpr std::size_t kNotQueued = static_cast<std::size_t>(-1);

  TimerQueue& queue_;
  std::function<void()> on_time_;
  Instant when_ = kNever;
  std::size_t index_ = kNotQueued;
};

// The loop's timers, earliest first: a binary heap whose members know their place.
class TimerQueue {
 public:
  // kNever when empty.
  Instant earliest() const { return heap_.empty() ? kNever : heap_.front()->when_; }

  void Change(Timer& timer, Instant when);

  // Fires every timer due at `now`.  A timer that its own callback sets to the past waits for the
  // next call, so one call always ends.
  void Expire(Instant now);

 private:
  void Up(std::size_t i);
  void Down(std::size_t i);
  void Place(std::size_t i, Timer* timer);

  std::vector<Timer*> heap_;
};

}  // namespace weir::net
