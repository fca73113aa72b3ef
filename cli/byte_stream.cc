#include "cli/byte_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli/quota_text.h"

namespace weir::cli {
namespace {

std::string Reason(int error) {
  return std::error_code(error, std::generic_category()).message();
}

int MillisecondsOf(Duration timeout) {
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
  return static_cast<int>(std::min<std::int64_t>(std::max<std::int64_t>(ms, 1), 1 << 30));
}

// Starts to connect; a descriptor, or -1 with errno set.
int Start(int family, const sockaddr* address, socklen_t size) {
  const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  if (connect(fd, address, size) == 0 || errno == EINPROGRESS) return fd;
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

// 0, or why the connection did not come about.
int Finish(int fd, Duration timeout) {
  pollfd waiting{fd, POLLOUT, 0};
  const int ready = poll(&waiting, 1, MillisecondsOf(timeout));
  if (ready == 0) return ETIMEDOUT;
  if (ready < 0) return errno;
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

// A connected descriptor, or -1 with the reason in `why`.
int ConnectUnix(const std::string& path, Duration timeout, std::string& why) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    why = "the path is too long for a socket";
    return -1;
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = Start(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int error = fd < 0 ? errno : Finish(fd, timeout);
  if (error == 0) return fd;
  if (fd >= 0) close(fd);
  why = Reason(error);
  return -1;
}

int ConnectTcp(std::string host, const std::string& port, Duration timeout, std::string& why) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty()) host = "localhost";
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found); error != 0) {
    why = gai_strerror(error);
    return -1;
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    const int fd = Start(at->ai_family, at->ai_addr, at->ai_addrlen);
    const int error = fd < 0 ? errno : Finish(fd, timeout);
    if (error == 0) {
      const int on = 1;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      return fd;
    }
    if (fd >= 0) close(fd);
    why = Reason(error);
  }
  return -1;
}

}  // namespace

Result<ByteStream, Unreachable> ByteStream::Connect(const std::string& where, Duration timeout) {
  std::string why;
  int fd = -1;
  const std::size_t colon = where.rfind(':');
  if (where.starts_with("unix:")) {
    fd = ConnectUnix(where.substr(5), timeout, why);
  } else if (colon == std::string::npos || colon + 1 == where.size()) {
    why = "an address is host:port or unix:PATH";
  } else {
    fd = ConnectTcp(where.substr(0, colon), where.substr(colon + 1), timeout, why);
  }
  if (fd < 0) return Unreachable{"cannot reach " + where + ": " + why};
  return ByteStream(fd, where, timeout);
}

ByteStream::ByteStream(ByteStream&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      where_(std::move(other.where_)),
      timeout_(other.timeout_) {}

ByteStream& ByteStream::operator=(ByteStream&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(where_, other.where_);
  std::swap(timeout_, other.timeout_);
  return *this;
}

ByteStream::~ByteStream() {
  if (fd_ >= 0) close(fd_);
}

std::string ByteStream::Wait(short events) const {
  pollfd waiting{fd_, events, 0};
  const int ready = poll(&waiting, 1, MillisecondsOf(timeout_));
  if (ready == 0) return where_ + " did not answer within " + DurationText(timeout_);
  return ready < 0 ? where_ + ": " + Reason(errno) : std::string();
}

std::string ByteStream::Write(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      if (std::string error = Wait(POLLOUT); !error.empty()) return error;
    } else if (errno != EINTR) {
      return where_ + ": " + Reason(errno);
    }
  }
  return {};
}

std::string ByteStream::Write(std::string_view text) {
  return Write({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

Result<std::size_t, Unreachable> ByteStream::Read(std::span<std::uint8_t> into) {
  for (;;) {
    const ssize_t n = recv(fd_, into.data(), into.size(), 0);
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return Unreachable{where_ + ": " + Reason(errno)};
    if (std::string error = Wait(POLLIN); !error.empty()) return Unreachable{std::move(error)};
  }
}

}  // namespace weir::cli
