#pragma once

#include <functional>
#include <thread>

#include "net/loop.h"

namespace weir::net {

// A loop and the thread that runs it.  Create what lives on the loop with Call(), and destroy it
// with Call() before this dies.
class LoopThread {
 public:
  // Starts the thread.  `clock` must outlive this.
  explicit LoopThread(const Clock& clock);
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;
  // Stops the loop and waits for it.
  ~LoopThread();

  Loop& loop() { return loop_; }

  // Runs `work` on the loop and returns when it is done.  REQUIRES: not called from the loop.
  void Call(const std::function<void()>& work);

 private:
  Loop loop_;
  std::thread thread_;
};

}  // namespace weir::net
