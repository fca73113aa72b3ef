#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "redis/reply.h"

namespace weir::redis {

// A real redis-server of the test's own: without persistence, listening on a unix socket and, where
// asked, on a free port of 127.0.0.1.  Ends with the object.
class ServerForTest {
 public:
  // `arguments` are appended to the command line: {"--maxmemory", "2mb"}.
  explicit ServerForTest(const std::vector<std::string>& arguments = {}, bool tcp = false);
  ServerForTest(const ServerForTest&) = delete;
  ServerForTest& operator=(const ServerForTest&) = delete;
  ~ServerForTest();

  // A port of 127.0.0.1 that nobody listens on.
  static std::uint16_t FreePort();

  const std::string& socket() const { return socket_; }
  std::uint16_t port() const { return port_; }
  const std::string& directory() const { return directory_; }
  std::string url() const { return "unix://" + socket_; }

  // Kills it, as a crash would; starts it again, empty, at the same addresses.
  void Kill();
  void Start();
  // Stops it from running at all, and lets it run on: a server that is silent.
  void Freeze();
  void Thaw();

 private:
  std::vector<std::string> arguments_;
  std::string directory_;
  std::string socket_;
  std::uint16_t port_ = 0;
  int pid_ = -1;
};

// A connection that waits for each answer: for looking into a server beside the code under test.
class ClientForTest {
 public:
  explicit ClientForTest(const ServerForTest& server);
  ClientForTest(const ClientForTest&) = delete;
  ClientForTest& operator=(const ClientForTest&) = delete;
  ~ClientForTest();

  // Sends bytes as they are, and returns the next reply.
  Reply Ask(std::string_view command);
  Reply Next();
  // Sends one command.
  Reply Run(std::initializer_list<std::string_view> arguments);
  void LoadScripts();

 private:
  int fd_;
  ReplyReader reader_;
};

}  // namespace weir::redis
