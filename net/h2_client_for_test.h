#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nghttp2/nghttp2.h>

#include "net/session.h"

namespace weir::net {

// A transport that keeps what is written, under a clock that tests move.
class MemoryTransport final : public Transport {
 public:
  void Write(std::span<const std::uint8_t> bytes) override {
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  std::size_t unsent() const override { return out.size(); }
  const PeerInfo& peer() const override { return peer_info; }
  const Now& now() const override { return time; }
  void Wake() override { woken = true; }

  std::vector<std::uint8_t> out;
  PeerInfo peer_info{.address = "192.0.2.1", .port = 1234, .tls = false, .certificate_name = {}};
  Now time{.steady = Instant(std::chrono::seconds(1000)), .wall = {}};
  bool woken = false;
};

// nghttp2 as a client of a session under test, joined to it through memory.
class H2Client {
 public:
  struct Response {
    std::vector<std::pair<std::string, std::string>> fields;  // Trailers behind the rest.
    std::string content;
    bool closed = false;
    std::uint32_t error_code = 0;
    std::string field(std::string_view name) const {
      for (const auto& [key, value] : fields) {
        if (key == name) return value;
      }
      return {};
    }
  };
  using Fields = std::vector<std::pair<std::string, std::string>>;

  explicit H2Client(MemoryTransport& transport);
  H2Client(const H2Client&) = delete;
  H2Client& operator=(const H2Client&) = delete;
  ~H2Client() { nghttp2_session_del(session_); }

  // A gRPC call of `path`; `content` is sent as it is.  Returns the stream.
  std::int32_t Call(std::string_view path, std::string content, const Fields& more = {});
  // A request of any fields; without `content` the head ends the stream.
  std::int32_t Request(const Fields& fields, const std::string* content);
  // The head only; the stream stays open.
  std::int32_t Head(const Fields& fields);
  void Reset(std::int32_t stream);

  // What the client has to say now, as bytes.
  std::vector<std::uint8_t> Take();
  // Hands over what the server wrote.
  void Give();
  // Both, until nobody has more to say.
  void Exchange(Session& session);

  std::map<std::int32_t, Response> responses;
  std::vector<std::uint32_t> goaways;  // Error codes.
  std::vector<std::int32_t> goaway_last_ids;

  nghttp2_session* raw() { return session_; }

 private:
  std::int32_t Submit(const Fields& fields, const nghttp2_data_provider* content);

  MemoryTransport& transport_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, std::pair<std::string, std::size_t>> bodies_;
  std::string next_body_;
};

// A message with its prefix.
std::string Framed(std::string_view message, char flag = 0);

}  // namespace weir::net
