#include "net/watch.h"

#include <utility>

namespace weir::net {

namespace {

// libuv keeps a handle until its close callback; the owner may be gone by then.
template <typename Handle>
void CloseAndDelete(Handle* handle) {
  handle->data = nullptr;
  uv_close(reinterpret_cast<uv_handle_t*>(handle),
           [](uv_handle_t* closed) { delete reinterpret_cast<Handle*>(closed); });
}

}  // namespace

SocketWatch::SocketWatch(Loop& loop, int fd, SocketObserver& observer)
    : loop_(loop), observer_(&observer), handle_(new uv_poll_t{}) {
  if (uv_poll_init(loop.uv(), handle_, fd) != 0) {
    delete handle_;
    handle_ = nullptr;
    return;
  }
  handle_->data = this;
}

SocketWatch::~SocketWatch() {
  if (handle_ != nullptr) CloseAndDelete(handle_);
}

void SocketWatch::Want(bool readable, bool writable) {
  if (handle_ == nullptr) return;
  const int events = (readable ? UV_READABLE : 0) | (writable ? UV_WRITABLE : 0);
  if (events == wanted_) return;
  wanted_ = events;
  if (events == 0) {
    uv_poll_stop(handle_);
    return;
  }
  uv_poll_start(handle_, events, [](uv_poll_t* handle, int status, int ready) {
    auto* self = static_cast<SocketWatch*>(handle->data);
    if (self == nullptr) return;
    self->loop_.EnterTurn();
    // On an error libuv stops the watch by itself.
    if (status < 0) self->wanted_ = 0;
    self->observer_->OnReady(status < 0 || (ready & UV_READABLE) != 0,
                             status < 0 || (ready & UV_WRITABLE) != 0);
  });
}

SignalWatch::SignalWatch(Loop& loop, int signal, std::function<void()> on_signal)
    : loop_(loop), on_signal_(std::move(on_signal)), handle_(new uv_signal_t{}) {
  uv_signal_init(loop.uv(), handle_);
  handle_->data = this;
  uv_signal_start(
      handle_,
      [](uv_signal_t* handle, int) {
        auto* self = static_cast<SignalWatch*>(handle->data);
        if (self == nullptr) return;
        self->loop_.EnterTurn();
        self->on_signal_();
      },
      signal);
}

SignalWatch::~SignalWatch() {
  CloseAndDelete(handle_);
}

}  // namespace weir::net
