#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <uv.h>

#include "net/timer.h"
#include "weir/base/clock.h"

namespace weir::net {

class TurnHook;

// Work that wants to run once at the very end of the current turn: a connection with output.
class TurnEndTask {
 public:
  TurnEndTask() = default;
  TurnEndTask(const TurnEndTask&) = delete;
  TurnEndTask& operator=(const TurnEndTask&) = delete;
  virtual ~TurnEndTask() = default;
  virtual void OnTurnEnd() = 0;

 private:
  friend class Loop;
  bool queued_ = false;
};

// One event loop, run by one thread.  A turn has a fixed order:
//
//   poll -> both clocks are read, once -> start hooks -> sockets, posted work, signals
//        -> due timers -> end hooks -> turn-end tasks (the sends)
//
// The start of a turn is found by the first event that asks: everything built on this loop goes
// through SocketWatch, Timer, Post or now(), which see to it.
//
// Run, now, and all that is not marked otherwise belong to the loop's thread (or to any thread
// while the loop does not run).
class Loop {
 public:
  // A read takes at most this much, so that a turn is bounded.
  static constexpr std::size_t kReadSize = std::size_t{64} * 1024;

  // `clock` must outlive the loop.  Ends the process with a message if the kernel gives no file
  // descriptors for a loop: nothing could run then.
  explicit Loop(const Clock& clock);
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  // REQUIRES: not running; every timer, watch and hook on this loop is gone.
  ~Loop();

  // Turns until Stop().  Work posted before a stop that has not run yet is run by the next Run(),
  // or dropped with the loop.
  void Run();

  // Makes Run() return at the end of its turn; the next Run() returns at once if none is running.
  // Thread-safe.
  void Stop();

  // Hands work over to the loop's thread, in order.  Takes a lock and wakes the loop: for control,
  // not for requests.  Thread-safe.
  void Post(std::function<void()> work);

  // Both clocks as of this turn's poll.
  const Now& now() {
    EnterTurn();
    return now_;
  }
  const Clock& clock() const { return clock_; }

  // Whether the caller runs on the thread that runs this loop.  Thread-safe.
  bool on_loop_thread() const;

  // Queues `task` for the end of this turn, once.  Forget() takes it out again; a task must be
  // forgotten before it dies.
  void AtTurnEnd(TurnEndTask& task);
  void Forget(TurnEndTask& task);

  // Marks the beginning of a turn if nothing did before.  For code that uses uv() directly.
  void EnterTurn() {
    if (!in_turn_) BeginTurn();
  }

  // How long turns take, from poll to the last send: what a request may have waited for others.
  // Thread-safe.
  Duration last_turn() const { return Duration(last_turn_.load(std::memory_order_relaxed)); }
  Duration longest_turn() const { return Duration(longest_turn_.load(std::memory_order_relaxed)); }
  std::uint64_t turns() const { return turns_.load(std::memory_order_relaxed); }

  // kReadSize bytes that whoever reads a socket may use until it returns to the loop.
  std::span<std::uint8_t> read_buffer() { return *read_buffer_; }

  uv_loop_t* uv() { return &uv_; }
  TimerQueue& timers() { return timers_; }

 private:
  friend class TurnHook;

  void BeginTurn();
  void EndTurn();
  void RunTurnEndTasks();
  void RunPosted();
  void ArmTimerfd();

  const Clock& clock_;
  uv_loop_t uv_{};
  uv_async_t wake_{};
  uv_prepare_t before_poll_{};
  uv_check_t after_poll_{};
  uv_poll_t timer_watch_{};
  int timerfd_ = -1;
  Instant armed_ = kNever;

  TimerQueue timers_;
  std::vector<TurnHook*> start_hooks_;
  std::vector<TurnHook*> end_hooks_;
  std::vector<TurnEndTask*> tasks_;
  std::vector<TurnEndTask*> running_tasks_;
  std::unique_ptr<std::array<std::uint8_t, kReadSize>> read_buffer_;

  bool in_turn_ = false;
  Now now_;
  std::atomic<std::int64_t> last_turn_{0};
  std::atomic<std::int64_t> longest_turn_{0};
  std::atomic<std::uint64_t> turns_{0};

  std::atomic<std::uint64_t> thread_{0};
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;  // Guarded by mutex_.
};

// Calls `call` in every turn of a loop, at its start (adopt a new policy) or at its end (flush a
// store).  Hooks of one kind run in the order of their construction.  Not thread-safe; create and
// destroy outside of hooks.
class TurnHook {
 public:
  enum class When : std::uint8_t { kStart, kEnd };

  TurnHook(Loop& loop, When when, std::function<void()> call);
  TurnHook(const TurnHook&) = delete;
  TurnHook& operator=(const TurnHook&) = delete;
  ~TurnHook();

 private:
  friend class Loop;
  std::vector<TurnHook*>& list_;
  std::function<void()> call_;
};

}  // namespace weir::net
