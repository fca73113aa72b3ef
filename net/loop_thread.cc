#include "net/loop_thread.h"

#include <future>

namespace weir::net {

LoopThread::LoopThread(const Clock& clock) : loop_(clock), thread_([this] { loop_.Run(); }) {}

LoopThread::~LoopThread() {
  loop_.Stop();
  thread_.join();
}

void LoopThread::Call(const std::function<void()>& work) {
  std::promise<void> done;
  loop_.Post([&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

}  // namespace weir::net
