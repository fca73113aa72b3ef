#include "net/connection.h"

#include <filesystem>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/listener.h"
#include "net/loop_thread.h"
#include "weir/base/system_clock.h"

namespace weir::net {
namespace {

// Sends back what it gets; "bye" ends it.
class EchoSession final : public Session {
 public:
  explicit EchoSession(Transport& transport) : transport_(transport) {}
  void OnBytes(std::span<const std::uint8_t> bytes) override {
    transport_.Write(bytes);
    finished_ = finished_ || std::string(bytes.begin(), bytes.end()).ends_with("bye");
  }
  void OnPeerClosed() override { finished_ = true; }
  Instant OnTime() override { return kNever; }
  void Drain() override { finished_ = true; }
  bool finished() const override { return finished_; }

 private:
  Transport& transport_;
  bool finished_ = false;
};

class ConnectionTest : public testing::Test {
 protected:
  void Serve(std::uint64_t most, ConnectionOptions options = {},
             const std::string& where = "127.0.0.1:0") {
    budget_ = std::make_unique<ConnectionBudget>(most);
    thread_.Call([&] {
      set_ = std::make_unique<ConnectionSet>(
          thread_.loop(),
          [](Transport& transport, Protocol) { return std::make_unique<EchoSession>(transport); },
          options, *budget_);
      auto listener = Listener::Open(thread_.loop(), *ParseAddress(where), {set_.get()}, *budget_);
      ASSERT_TRUE(listener.ok()) << listener.error().message;
      listener_ = std::move(listener).value();
      bound_ = listener_->bound();
    });
  }
  ~ConnectionTest() override {
    thread_.Call([&] {
      listener_.reset();
      set_.reset();
    });
  }
  int Connect() {
    const SocketAddress to = ToSocketAddress(bound_);
    const int fd = socket(to.storage.ss_family, SOCK_STREAM, 0);
    EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&to.storage), to.length), 0);
    return fd;
  }
  static void Say(int fd, std::string_view text) {
    EXPECT_EQ(send(fd, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  // Until `size` bytes are there or the peer has closed.
  static std::string Hear(int fd, std::size_t size) {
    std::string text;
    while (text.size() < size) {
      char buffer[4096];
      const ssize_t n = recv(fd, buffer, std::min(sizeof buffer, size - text.size()), 0);
      if (n <= 0) break;
      text.append(buffer, static_cast<std::size_t>(n));
    }
    return text;
  }

  SystemClock clock_;
  LoopThread thread_{clock_};
  std::unique_ptr<ConnectionBudget> budget_;
  std::unique_ptr<ConnectionSet> set_;
  std::unique_ptr<Listener> listener_;
  Address bound_;
};

TEST_F(ConnectionTest, CarriesBytesBothWaysAndClosesWhenTheSessionIsFinished) {
  Serve(10);
  const int fd = Connect();
  Say(fd, "hello");
  EXPECT_EQ(Hear(fd, 5), "hello");
  Say(fd, "bye");
  EXPECT_EQ(Hear(fd, 100), "bye");
  close(fd);
}

TEST_F(ConnectionTest, ClosesAConnectionBeyondTheBudgetAtOnce) {
  Serve(1);
  const int first = Connect();
  Say(first, "a");
  EXPECT_EQ(Hear(first, 1), "a");
  const int second = Connect();
  EXPECT_EQ(Hear(second, 1), "");
  EXPECT_EQ(budget_->refused(), 1U);
  close(first);
  close(second);
}

TEST_F(ConnectionTest, ClosesAConnectionThatSaysNothing) {
  Serve(10, {.handshake_timeout = std::chrono::milliseconds(20)});
  const int fd = Connect();
  EXPECT_EQ(Hear(fd, 1), "");
  close(fd);
}

TEST_F(ConnectionTest, ClosesAnIdleConnection) {
  Serve(10, {.idle_timeout = std::chrono::milliseconds(20)});
  const int fd = Connect();
  Say(fd, "a");
  EXPECT_EQ(Hear(fd, 2), "a");
  close(fd);
}

TEST_F(ConnectionTest, HoldsBackAPeerThatDoesNotRead) {
  Serve(10);
  const int fd = Connect();
  const timeval patience = {.tv_sec = 0, .tv_usec = 200'000};
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const std::string chunk(1 << 16, 'x');
  std::size_t sent = 0;
  for (;;) {
    const ssize_t n = send(fd, chunk.data(), chunk.size(), MSG_NOSIGNAL);
    if (n <= 0) break;
    sent += static_cast<std::size_t>(n);
    ASSERT_LT(sent, std::size_t{256} << 20) << "nobody held us back";
  }
  EXPECT_EQ(Hear(fd, sent).size(), sent) << "nothing was lost";
  close(fd);
}

TEST_F(ConnectionTest, DrainsAndReportsIt) {
  Serve(10);
  const int fd = Connect();
  Say(fd, "a");
  EXPECT_EQ(Hear(fd, 1), "a");
  std::promise<void> drained;
  thread_.Call([&] { set_->Drain([&] { drained.set_value(); }); });
  EXPECT_EQ(Hear(fd, 1), "");
  close(fd);
  drained.get_future().wait();
  EXPECT_EQ(set_->load(), 0U);
}

TEST_F(ConnectionTest, SurvivesRunningOutOfDescriptors) {
  Serve(100);
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
  const int fd = Connect();
  Say(fd, "a");
  EXPECT_EQ(Hear(fd, 1), "a");
  // The client's socket is there before the bound falls to what is open now.
  const SocketAddress to = ToSocketAddress(bound_);
  const int starved = socket(to.storage.ss_family, SOCK_STREAM, 0);
  const int probe = dup(starved);
  close(probe);
  rlimit low = old;
  low.rlim_cur = static_cast<rlim_t>(probe);
  setrlimit(RLIMIT_NOFILE, &low);
  EXPECT_EQ(connect(starved, reinterpret_cast<const sockaddr*>(&to.storage), to.length), 0);
  EXPECT_EQ(Hear(starved, 1), "");
  setrlimit(RLIMIT_NOFILE, &old);
  Say(fd, "b");
  EXPECT_EQ(Hear(fd, 1), "b");
  close(starved);
  close(fd);
}

TEST_F(ConnectionTest, NamesAddressAndReasonWhenItCannotListen) {
  Serve(10);
  thread_.Call([&] {
    const auto again = Listener::Open(thread_.loop(), bound_, {set_.get()}, *budget_);
    ASSERT_FALSE(again.ok());
    EXPECT_EQ(again.error().code, EADDRINUSE);
    EXPECT_THAT(again.error().message, testing::HasSubstr(bound_.text()));
  });
}

TEST_F(ConnectionTest, ReplacesAUnixSocketThatNobodyServes) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("weir-" + std::to_string(getpid()))).string();
  const SocketAddress stale = ToSocketAddress(*ParseAddress("unix:" + path));
  const int left = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(left, reinterpret_cast<const sockaddr*>(&stale.storage), stale.length), 0);
  close(left);
  Serve(10, {}, "unix:" + path);
  const int fd = Connect();
  Say(fd, "a");
  EXPECT_EQ(Hear(fd, 1), "a");
  close(fd);
}

}  // namespace
}  // namespace weir::net
