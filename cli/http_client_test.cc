#include "cli/http_client.h"

#include <array>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/grpc_client.h"
#include "cli/health_check.h"

namespace weir::cli {
namespace {

using ::testing::HasSubstr;

// Accepts one connection, reads a little, says `answer`, and closes.
class OneAnswer {
 public:
  explicit OneAnswer(std::string answer)
      : fd_(socket(AF_INET, SOCK_STREAM, 0)), answer_(std::move(answer)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(fd_, 1), 0);
    socklen_t size = sizeof address;
    EXPECT_EQ(getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    where_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this] { Serve(); });
  }
  ~OneAnswer() {
    shutdown(fd_, SHUT_RDWR);
    thread_.join();
    close(fd_);
  }

  const std::string& where() const { return where_; }

 private:
  void Serve() const {
    const int peer = accept(fd_, nullptr, nullptr);
    if (peer < 0) return;
    std::array<char, 4096> buffer;
    static_cast<void>(recv(peer, buffer.data(), buffer.size(), 0));
    static_cast<void>(send(peer, answer_.data(), answer_.size(), MSG_NOSIGNAL));
    shutdown(peer, SHUT_WR);
    while (recv(peer, buffer.data(), buffer.size(), 0) > 0) {
    }
    close(peer);
  }

  const int fd_;
  const std::string answer_;
  std::string where_;
  std::thread thread_;
};

Result<HttpAnswer, Unreachable> AnswerTo(std::string text) {
  const OneAnswer server(std::move(text));
  auto client = HttpClient::Connect(server.where(), std::chrono::seconds(5));
  if (!client) return client.error();
  return client->Send("GET", "/", "");
}

TEST(HttpClientTest, UrlsComeApart) {
  const auto url = ParseHttpUrl("http://127.0.0.1:8080/v1/check");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->address, "127.0.0.1:8080");
  EXPECT_EQ(url->path, "/v1/check");
  EXPECT_EQ(ParseHttpUrl("http://weir")->address, "weir:80");
  EXPECT_EQ(ParseHttpUrl("http://[::1]")->address, "[::1]:80");
  EXPECT_EQ(ParseHttpUrl("http://[::1]:8080")->address, "[::1]:8080");
  EXPECT_FALSE(ParseHttpUrl("https://weir"));
  EXPECT_FALSE(ParseHttpUrl("127.0.0.1:8080"));
  EXPECT_FALSE(ParseHttpUrl("http:///path"));
}

TEST(HttpClientTest, ReadsHeadAndBody) {
  const auto answer =
      AnswerTo("HTTP/1.1 429 Too Many Requests\r\nRetry-After:  3 \r\nContent-Length: 2\r\n\r\n{}");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 429);
  EXPECT_EQ(answer->field("retry-after"), "3");
  EXPECT_EQ(answer->body, "{}");
}

TEST(HttpClientTest, WithoutALengthTheBodyEndsWithTheConnection) {
  const auto answer = AnswerTo("HTTP/1.0 200 OK\r\n\r\nhello");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "hello");
}

TEST(HttpClientTest, WhatIsNotAnAnswerIsSaid) {
  EXPECT_FALSE(AnswerTo("SSH-2.0-OpenSSH\r\n\r\n"));
  EXPECT_FALSE(AnswerTo("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"));
  EXPECT_FALSE(AnswerTo("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"));
  EXPECT_FALSE(AnswerTo("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"));
  EXPECT_FALSE(AnswerTo(""));
}

TEST(HttpClientTest, AClosedPortIsUnreachable) {
  std::string where;
  {
    const OneAnswer server("");
    where = server.where();
  }
  const auto client = HttpClient::Connect(where, std::chrono::seconds(5));
  ASSERT_FALSE(client);
  EXPECT_THAT(client.error().message, HasSubstr("cannot reach " + where));
  EXPECT_FALSE(HttpClient::Connect("no-port", std::chrono::seconds(5)));
  EXPECT_FALSE(HttpClient::Connect("unix:/nonexistent/socket", std::chrono::seconds(5)));
}

TEST(GrpcClientTest, AServerThatDoesNotSpeakHttp2IsUnreachable) {
  for (const char* text : {"HTTP/1.1 400 Bad Request\r\n\r\n", "", "garbage"}) {
    const OneAnswer server(text);
    EXPECT_FALSE(AskGrpcHealth(server.where(), "", std::chrono::seconds(5))) << text;
  }
}

TEST(HttpHealthTest, TwoHundredIsServing) {
  {
    const OneAnswer server("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK");
    const auto health = AskHttpHealth("http://" + server.where(), std::chrono::seconds(5));
    ASSERT_TRUE(health);
    EXPECT_TRUE(health->serving);
  }
  const OneAnswer server("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n");
  const auto health = AskHttpHealth("http://" + server.where(), std::chrono::seconds(5));
  ASSERT_TRUE(health);
  EXPECT_FALSE(health->serving);
}

}  // namespace
}  // namespace weir::cli
