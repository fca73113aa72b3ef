#include "net/listener.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weir::net {

namespace {

constexpr int kBacklog = 4096;

ListenError Failure(const Address& address, int code) {
  return {"cannot listen on " + address.text() + ": " + std::strerror(code), code};
}

// A socket file outlives a process that was killed.  Only one that refuses connections may go.
void RemoveStaleSocket(const Address& address, const SocketAddress& target) {
  struct stat info {};
  if (lstat(address.host.c_str(), &info) != 0 || !S_ISSOCK(info.st_mode)) return;
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return;
  if (connect(probe, reinterpret_cast<const sockaddr*>(&target.storage), target.length) != 0 &&
      errno == ECONNREFUSED) {
    unlink(address.host.c_str());
  }
  close(probe);
}

int BindAndListen(int fd, const Address& address, SocketAddress& target) {
  const int on = 1;
  const int off = 0;
  if (address.kind == Address::Kind::kUnix) {
    RemoveStaleSocket(address, target);
  } else {
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (address.kind == Address::Kind::kAny) {
      setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    }
  }
  if (bind(fd, reinterpret_cast<sockaddr*>(&target.storage), target.length) != 0) return errno;
  if (listen(fd, kBacklog) != 0) return errno;
  target.length = sizeof target.storage;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&target.storage), &target.length) != 0) {
    return errno;
  }
  return 0;
}

}  // namespace

Result<std::unique_ptr<Listener>, ListenError> Listener::Open(Loop& loop, const Address& address,
                                                              std::vector<ConnectionSet*> sets,
                                                              ConnectionBudget& budget) {
  SocketAddress target = ToSocketAddress(address);
  constexpr int kType = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
  int fd = socket(target.storage.ss_family, kType, 0);
  if (fd < 0 && errno == EAFNOSUPPORT && address.kind == Address::Kind::kAny) {
    // A machine without IPv6: "every address" means the other family.
    target = ToSocketAddress({Address::Kind::kIp4, "0.0.0.0", address.port});
    fd = socket(AF_INET, kType, 0);
  }
  if (fd < 0) return Failure(address, errno);
  Address bound = address;
  if (target.storage.ss_family == AF_INET) bound.kind = Address::Kind::kIp4;
  if (const int error = BindAndListen(fd, bound, target); error != 0) {
    close(fd);
    return Failure(address, error);
  }
  bound.kind = address.kind;
  bound.port = Describe(target.storage).port;
  return std::unique_ptr<Listener>(
      new Listener(loop, fd, std::move(bound), std::move(sets), budget));
}

Listener::Listener(Loop& loop, int fd, Address bound, std::vector<ConnectionSet*> sets,
                   ConnectionBudget& budget)
    : loop_(loop),
      fd_(fd),
      reserve_(open("/dev/null", O_RDONLY | O_CLOEXEC)),
      bound_(std::move(bound)),
      sets_(std::move(sets)),
      budget_(budget),
      watch_(loop, fd, *this),
      resume_(loop, [this] { watch_.Want(true, false); }) {
  watch_.Want(true, false);
}

Listener::~Listener() {
  if (reserve_ >= 0) close(reserve_);
  if (bound_.kind == Address::Kind::kUnix) unlink(bound_.host.c_str());
}

void Listener::OnReady(bool, bool) {
  for (int i = 0; i < kAcceptsPerTurn && AcceptOne(); ++i) {
  }
}

bool Listener::AcceptOne() {
  sockaddr_storage from{};
  socklen_t size = sizeof from;
  const int fd =
      accept4(fd_.get(), reinterpret_cast<sockaddr*>(&from), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd >= 0) {
    HandOver(fd, from);
    return true;
  }
  switch (errno) {
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
      OnNoDescriptors();
      return false;
    case ECONNABORTED:
    case EINTR:
      return true;
    default:
      return false;
  }
}

void Listener::HandOver(int fd, const sockaddr_storage& from) {
  if (!budget_.Take()) {
    close(fd);
    return;
  }
  if (from.ss_family == AF_INET || from.ss_family == AF_INET6) {
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  HostAndPort who = Describe(from);
  ConnectionSet* least = *std::min_element(
      sets_.begin(), sets_.end(),
      [](const ConnectionSet* a, const ConnectionSet* b) { return a->load() < b->load(); });
  least->Adopt(
      fd,
      PeerInfo{
          .address = std::move(who.host), .port = who.port, .tls = false, .certificate_name = {}});
}

void Listener::OnNoDescriptors() {
  // Left alone the listening socket would stay readable and the loop would spin.
  if (reserve_ >= 0) {
    close(reserve_);
    const int fd = accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd >= 0) {
      ++out_of_descriptors_;
      close(fd);
    }
    reserve_ = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && reserve_ >= 0) return;
  }
  watch_.Want(false, false);
  resume_.Set(loop_.now().steady + kPause);
}

}  // namespace weir::net
