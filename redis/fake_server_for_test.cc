#include "redis/fake_server_for_test.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace weir::redis {

FakeServerForTest::FakeServerForTest() {
  char name[] = "/tmp/weir-fake-XXXXXX";
  if (mkdtemp(name) == nullptr) std::abort();
  directory_ = name;
  path_ = directory_ + "/socket";
  listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_un un{};
  un.sun_family = AF_UNIX;
  std::memcpy(un.sun_path, path_.data(), path_.size());
  if (bind(listener_, reinterpret_cast<const sockaddr*>(&un), sizeof un) != 0 ||
      listen(listener_, 16) != 0) {
    std::abort();
  }
}

FakeServerForTest::~FakeServerForTest() {
  CloseConnection();
  close(listener_);
  unlink(path_.c_str());
  rmdir(directory_.c_str());
}

bool FakeServerForTest::Accept() {
  const int fd = accept(listener_, nullptr, nullptr);
  if (fd < 0) return false;
  CloseConnection();
  peer_ = fd;
  return true;
}

void FakeServerForTest::Say(std::string_view bytes) {
  if (send(peer_, bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) std::perror("send");
}

std::string FakeServerForTest::Heard() {
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t n = recv(peer_, buffer, sizeof buffer, MSG_DONTWAIT);
    if (n <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
  }
}

void FakeServerForTest::CloseConnection() {
  if (peer_ >= 0) close(peer_);
  peer_ = -1;
}

std::string FakeServerForTest::Welcome(std::size_t scripts) {
  std::string text = "*4\r\n$7\r\nversion\r\n$5\r\n7.0.0\r\n$4\r\nrole\r\n$6\r\nmaster\r\n";
  for (std::size_t i = 0; i < scripts; ++i) text += "+OK\r\n";
  return text;
}

}  // namespace weir::redis
