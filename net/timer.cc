#include "net/timer.h"

#include <utility>

#include "net/loop.h"

namespace weir::net {

Timer::Timer(Loop& loop, std::function<void()> on_time)
    : queue_(loop.timers()), on_time_(std::move(on_time)) {}

Timer::~Timer() {
  Cancel();
}

void Timer::Set(Instant when) {
  queue_.Change(*this, when);
}

void TimerQueue::Change(Timer& timer, Instant when) {
  if (timer.when_ == when) return;
  timer.when_ = when;
  if (when == kNever) {
    const std::size_t hole = timer.index_;
    timer.index_ = Timer::kNotQueued;
    Timer* last = heap_.back();
    heap_.pop_back();
    if (last == &timer) return;
    Place(hole, last);
    Up(hole);
    Down(last->index_);
    return;
  }
  if (timer.index_ == Timer::kNotQueued) {
    heap_.push_back(&timer);
    timer.index_ = heap_.size() - 1;
  }
  Up(timer.index_);
  Down(timer.index_);
}

void TimerQueue::Expire(Instant now) {
  for (std::size_t left = heap_.size(); left > 0 && earliest() <= now; --left) {
    Timer& due = *heap_.front();
    Change(due, kNever);
    // Copied, because the callback may destroy its own timer.
    const std::function<void()> on_time = due.on_time_;
    on_time();
  }
}

void TimerQueue::Place(std::size_t i, Timer* timer) {
  heap_[i] = timer;
  timer->index_ = i;
}

void TimerQueue::Up(std::size_t i) {
  Timer* timer = heap_[i];
  while (i > 0) {
    const std::size_t parent = (i - 1) / 2;
    if (heap_[parent]->when_ <= timer->when_) break;
    Place(i, heap_[parent]);
    i = parent;
  }
  Place(i, timer);
}

void TimerQueue::Down(std::size_t i) {
  Timer* timer = heap_[i];
  for (;;) {
    std::size_t child = 2 * i + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1]->when_ < heap_[child]->when_) ++child;
    if (timer->when_ <= heap_[child]->when_) break;
    Place(i, heap_[child]);
    i = child;
  }
  Place(i, timer);
}

}  // namespace weir::net
