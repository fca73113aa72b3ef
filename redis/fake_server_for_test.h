#pragma once

#include <string>
#include <string_view>

namespace weir::redis {

// A server that says what the test tells it to, on a unix socket.
class FakeServerForTest {
 public:
  FakeServerForTest();
  FakeServerForTest(const FakeServerForTest&) = delete;
  FakeServerForTest& operator=(const FakeServerForTest&) = delete;
  ~FakeServerForTest();

  const std::string& socket() const { return path_; }

  // Takes the next connection, if one waits; the one before is closed.
  bool Accept();
  void Say(std::string_view bytes);
  // What has come by now, without waiting.
  std::string Heard();
  void CloseConnection();

  // What a primary answers to the handshake of `scripts` scripts.
  static std::string Welcome(std::size_t scripts);

 private:
  std::string directory_;
  std::string path_;
  int listener_ = -1;
  int peer_ = -1;
};

}  // namespace weir::redis
