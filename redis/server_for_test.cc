#include "redis/server_for_test.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "redis/command.h"
#include "redis/scripts.h"

namespace weir::redis {
namespace {

[[noreturn]] void Give(const char* what) {
  std::perror(what);
  std::abort();
}

int ConnectTo(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un un{};
  un.sun_family = AF_UNIX;
  std::memcpy(un.sun_path, path.data(), path.size());
  if (connect(fd, reinterpret_cast<const sockaddr*>(&un), sizeof un) == 0) return fd;
  close(fd);
  return -1;
}

}  // namespace

std::uint16_t ServerForTest::FreePort() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof in;
  if (bind(fd, reinterpret_cast<sockaddr*>(&in), size) != 0 ||
      getsockname(fd, reinterpret_cast<sockaddr*>(&in), &size) != 0) {
    Give("bind");
  }
  close(fd);
  return ntohs(in.sin_port);
}

ServerForTest::ServerForTest(const std::vector<std::string>& arguments, bool tcp)
    : arguments_(arguments) {
  char name[] = "/tmp/weir-redis-XXXXXX";
  if (mkdtemp(name) == nullptr) Give("mkdtemp");
  directory_ = name;
  socket_ = directory_ + "/socket";
  if (tcp) port_ = FreePort();
  Start();
}

ServerForTest::~ServerForTest() {
  Kill();
  const std::string command = "rm -rf '" + directory_ + "'";
  if (std::system(command.c_str()) != 0) Give("rm");  // NOLINT(concurrency-mt-unsafe)
}

void ServerForTest::Start() {
  std::vector<std::string> words = {"redis-server", "--port",    std::to_string(port_),
                                    "--bind",       "127.0.0.1", "--unixsocket",
                                    socket_,        "--save",    "",
                                    "--dir",        directory_,  "--daemonize",
                                    "no",           "--logfile", directory_ + "/log"};
  words.insert(words.end(), arguments_.begin(), arguments_.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    const int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(null, 1);
    dup2(null, 2);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  for (int i = 0; i < 10'000; ++i) {
    const int fd = ConnectTo(socket_);
    if (fd >= 0) {
      close(fd);
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  Give("redis-server does not start");
}

void ServerForTest::Kill() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
  unlink(socket_.c_str());
}

void ServerForTest::Freeze() {
  kill(pid_, SIGSTOP);
}

void ServerForTest::Thaw() {
  kill(pid_, SIGCONT);
}

ClientForTest::ClientForTest(const ServerForTest& server) : fd_(ConnectTo(server.socket())) {
  if (fd_ < 0) Give("connect");
}

ClientForTest::~ClientForTest() {
  close(fd_);
}

Reply ClientForTest::Ask(std::string_view command) {
  while (!command.empty()) {
    const ssize_t n = send(fd_, command.data(), command.size(), MSG_NOSIGNAL);
    if (n <= 0) Give("send");
    command.remove_prefix(static_cast<std::size_t>(n));
  }
  return Next();
}

Reply ClientForTest::Next() {
  for (;;) {
    switch (reader_.Next()) {
      case ReplyReader::State::kReply:
        return reader_.reply();
      case ReplyReader::State::kBroken:
        Give("broken reply");
      case ReplyReader::State::kMore:
        break;
    }
    std::uint8_t buffer[16 * 1024];
    const ssize_t n = recv(fd_, buffer, sizeof buffer, 0);
    if (n <= 0) Give("recv");
    reader_.Feed(std::span(buffer, static_cast<std::size_t>(n)));
  }
}

Reply ClientForTest::Run(std::initializer_list<std::string_view> arguments) {
  std::string command;
  AppendCommand(command, arguments);
  return Ask(command);
}

void ClientForTest::LoadScripts() {
  for (std::size_t i = 0; i < kScripts; ++i) {
    const auto script = static_cast<Script>(i);
    const Reply reply = Run({"SCRIPT", "LOAD", TextOf(script)});
    if (reply.text() != DigestOf(script)) {
      std::fprintf(stderr, "%.*s\n", static_cast<int>(reply.text().size()), reply.text().data());
      Give("SCRIPT LOAD");
    }
  }
}

}  // namespace weir::redis
