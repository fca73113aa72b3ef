#include "redis/connector.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/address.h"

namespace weir::redis {

struct Connector::Lookup {
  uv_getaddrinfo_t request{};
  Connector* owner = nullptr;
  net::Loop* loop = nullptr;
};

void Connector::Start(const ServerAddress& server) {
  const auto fixed = net::ParseAddress(server.text());
  if (fixed.ok()) {
    const net::SocketAddress to = net::ToSocketAddress(*fixed);
    Open(reinterpret_cast<const sockaddr*>(&to.storage), to.length);
    return;
  }
  lookup_ = new Lookup;
  lookup_->owner = this;
  lookup_->loop = &loop_;
  lookup_->request.data = lookup_;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  const int status = uv_getaddrinfo(
      loop_.uv(), &lookup_->request,
      [](uv_getaddrinfo_t* request, int result, addrinfo* found) {
        const std::unique_ptr<Lookup> lookup(static_cast<Lookup*>(request->data));
        lookup->loop->EnterTurn();
        if (lookup->owner != nullptr) {
          lookup->owner->lookup_ = nullptr;
          lookup->owner->OnFound(result, found == nullptr ? nullptr : found->ai_addr);
        }
        uv_freeaddrinfo(found);
      },
      server.host.c_str(), std::to_string(server.port).c_str(), &hints);
  if (status == 0) return;
  delete std::exchange(lookup_, nullptr);
  Fail(Cause::kRefused, uv_strerror(status));
}

void Connector::Cancel() {
  if (lookup_ != nullptr) {
    lookup_->owner = nullptr;
    uv_cancel(reinterpret_cast<uv_req_t*>(&lookup_->request));
    lookup_ = nullptr;
  }
  watch_.reset();
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

void Connector::OnFound(int status, const sockaddr* address) {
  if (status != 0 || address == nullptr) return Fail(Cause::kRefused, uv_strerror(status));
  Open(address, address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
}

void Connector::Open(const sockaddr* address, socklen_t length) {
  fd_ = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd_ < 0) return Fail(Cause::kRefused, std::strerror(errno));
  if (address->sa_family != AF_UNIX) {
    const int on = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  if (connect(fd_, address, length) == 0) return observer_.OnConnected(std::exchange(fd_, -1));
  // A unix socket whose backlog is full says EAGAIN and has nothing to wait for.
  if (errno != EINPROGRESS) return Fail(Cause::kRefused, std::strerror(errno));
  watch_ = std::make_unique<net::SocketWatch>(loop_, fd_, static_cast<net::SocketObserver&>(*this));
  watch_->Want(false, true);
}

void Connector::OnReady(bool, bool) {
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size);
  watch_.reset();
  if (error != 0) return Fail(Cause::kRefused, std::strerror(error));
  observer_.OnConnected(std::exchange(fd_, -1));
}

void Connector::Fail(Cause cause, std::string_view why) {
  const std::string text(why);
  Cancel();
  observer_.OnNotConnected(cause, text);
}

}  // namespace weir::redis
