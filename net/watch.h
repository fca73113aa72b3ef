#pragma once

#include <cstdint>
#include <functional>

#include <uv.h>

#include "net/loop.h"

namespace weir::net {

// Told when a socket can be read or written.
class SocketObserver {
 public:
  SocketObserver() = default;
  SocketObserver(const SocketObserver&) = delete;
  SocketObserver& operator=(const SocketObserver&) = delete;
  virtual ~SocketObserver() = default;

  // At least one is set.  A socket in error reports both; the next recv or send says what it is.
  // The observer may destroy its watch, and itself, in here.
  virtual void OnReady(bool readable, bool writable) = 0;
};

// Watches one non-blocking descriptor, level-triggered.  Owns neither the descriptor nor the
// observer; destroy it before closing the descriptor.  Belongs to the loop's thread.
class SocketWatch {
 public:
  // REQUIRES: `fd` is open, non-blocking, and can be polled (no regular file).
  SocketWatch(Loop& loop, int fd, SocketObserver& observer);
  SocketWatch(const SocketWatch&) = delete;
  SocketWatch& operator=(const SocketWatch&) = delete;
  ~SocketWatch();

  // Neither: stops watching.  Costs nothing if it asks for what is watched already.
  void Want(bool readable, bool writable);

 private:
  Loop& loop_;
  SocketObserver* observer_;
  uv_poll_t* handle_;
  int wanted_ = 0;
};

// Calls back on the loop for each delivery of a signal.  Belongs to the loop's thread.
class SignalWatch {
 public:
  SignalWatch(Loop& loop, int signal, std::function<void()> on_signal);
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();

 private:
  Loop& loop_;
  std::function<void()> on_signal_;
  uv_signal_t* handle_;
};

}  // namespace weir::net
