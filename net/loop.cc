#include "net/loop.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <pthread.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace weir::net {

namespace {

// Only for what cannot go wrong on a machine that has descriptors and memory left.
void RequireOk(int result, const char* what) {
  if (result >= 0) return;
  std::fprintf(stderr, "weir: cannot create an event loop: %s: %s\n", what, uv_strerror(result));
  std::abort();
}

template <typename Handle>
uv_handle_t* AsHandle(Handle* handle) {
  return reinterpret_cast<uv_handle_t*>(handle);
}

}  // namespace

Loop::Loop(const Clock& clock)
    : clock_(clock), read_buffer_(std::make_unique<std::array<std::uint8_t, kReadSize>>()) {
  RequireOk(uv_loop_init(&uv_), "loop");
  uv_.data = this;
  wake_.data = before_poll_.data = after_poll_.data = timer_watch_.data = this;
  RequireOk(
      uv_async_init(&uv_, &wake_, [](uv_async_t* h) { static_cast<Loop*>(h->data)->RunPosted(); }),
      "wake-up");
  uv_prepare_init(&uv_, &before_poll_);
  uv_prepare_start(&before_poll_, [](uv_prepare_t* h) {
    Loop& loop = *static_cast<Loop*>(h->data);
    // Closing callbacks run between the turns and may have left output.
    loop.RunTurnEndTasks();
    loop.in_turn_ = false;
    loop.ArmTimerfd();
  });
  uv_check_init(&uv_, &after_poll_);
  uv_check_start(&after_poll_, [](uv_check_t* h) { static_cast<Loop*>(h->data)->EndTurn(); });
  timerfd_ = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  RequireOk(timerfd_ < 0 ? uv_translate_sys_error(errno) : 0, "timer");
  RequireOk(uv_poll_init(&uv_, &timer_watch_, timerfd_), "timer");
  uv_poll_start(&timer_watch_, UV_READABLE, [](uv_poll_t* h, int, int) {
    Loop& loop = *static_cast<Loop*>(h->data);
    // The timers themselves run at the end of the turn, after the sockets.
    std::uint64_t expirations = 0;
    if (read(loop.timerfd_, &expirations, sizeof expirations) > 0) loop.armed_ = kNever;
    loop.EnterTurn();
  });
}

Loop::~Loop() {
  for (uv_handle_t* handle : {AsHandle(&wake_), AsHandle(&before_poll_), AsHandle(&after_poll_),
                              AsHandle(&timer_watch_)}) {
    uv_close(handle, nullptr);
  }
  while (uv_run(&uv_, UV_RUN_DEFAULT) != 0) {
  }
  uv_loop_close(&uv_);
  close(timerfd_);
}

void Loop::Run() {
  thread_.store(static_cast<std::uint64_t>(pthread_self()), std::memory_order_relaxed);
  if (!stopping_.load(std::memory_order_acquire)) uv_run(&uv_, UV_RUN_DEFAULT);
  stopping_.store(false, std::memory_order_release);
  thread_.store(0, std::memory_order_relaxed);
}

void Loop::Stop() {
  stopping_.store(true, std::memory_order_release);
  uv_async_send(&wake_);
}

void Loop::Post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
  }
  uv_async_send(&wake_);
}

bool Loop::on_loop_thread() const {
  return thread_.load(std::memory_order_relaxed) == static_cast<std::uint64_t>(pthread_self());
}

void Loop::AtTurnEnd(TurnEndTask& task) {
  if (task.queued_) return;
  task.queued_ = true;
  tasks_.push_back(&task);
}

void Loop::Forget(TurnEndTask& task) {
  if (!task.queued_) return;
  task.queued_ = false;
  std::replace(tasks_.begin(), tasks_.end(), &task, static_cast<TurnEndTask*>(nullptr));
  std::replace(running_tasks_.begin(), running_tasks_.end(), &task,
               static_cast<TurnEndTask*>(nullptr));
}

void Loop::BeginTurn() {
  in_turn_ = true;
  now_ = clock_.Read();
  for (TurnHook* hook : start_hooks_) hook->call_();
}

void Loop::EndTurn() {
  EnterTurn();
  timers_.Expire(now_.steady);
  for (TurnHook* hook : end_hooks_) hook->call_();
  RunTurnEndTasks();
  const std::int64_t took = (clock_.Read().steady - now_.steady).count();
  last_turn_.store(took, std::memory_order_relaxed);
  if (took > longest_turn_.load(std::memory_order_relaxed)) {
    longest_turn_.store(took, std::memory_order_relaxed);
  }
  turns_.store(turns_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void Loop::RunTurnEndTasks() {
  // A task may queue others; they belong to the same turn.
  while (!tasks_.empty()) {
    running_tasks_.swap(tasks_);
    for (std::size_t i = 0; i < running_tasks_.size(); ++i) {
      TurnEndTask* task = running_tasks_[i];
      if (task == nullptr) continue;
      task->queued_ = false;
      running_tasks_[i] = nullptr;
      task->OnTurnEnd();
    }
    running_tasks_.clear();
  }
}

void Loop::RunPosted() {
  EnterTurn();
  std::vector<std::function<void()>> work;
  {
    const std::lock_guard lock(mutex_);
    work.swap(posted_);
  }
  for (const auto& one : work) one();
  if (stopping_.load(std::memory_order_acquire)) uv_stop(&uv_);
}

void Loop::ArmTimerfd() {
  const Instant next = timers_.earliest();
  // A timer armed too early only costs an empty turn, and that is cheaper than a system call for
  // every deadline that moves back.
  if (next >= armed_) return;
  const Duration wait = std::max(next - clock_.Read().steady, Duration(1));
  itimerspec spec{};
  spec.it_value.tv_sec = static_cast<time_t>(wait.count() / 1'000'000'000);
  spec.it_value.tv_nsec = static_cast<long>(wait.count() % 1'000'000'000);
  if (timerfd_settime(timerfd_, 0, &spec, nullptr) == 0) armed_ = next;
}

TurnHook::TurnHook(Loop& loop, When when, std::function<void()> call)
    : list_(when == When::kStart ? loop.start_hooks_ : loop.end_hooks_), call_(std::move(call)) {
  list_.push_back(this);
}

TurnHook::~TurnHook() {
  std::erase(list_, this);
}

}  // namespace weir::net
