#pragma once

// For tests and fuzzing only: a connection made of strings and a handler that remembers.

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/http.h"
#include "net/http1_session.h"
#include "net/session.h"

namespace weir::net {

class StringTransport final : public Transport {
 public:
  void Write(std::span<const std::uint8_t> bytes) override {
    output.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    ++writes;
  }
  std::size_t unsent() const override { return unsent_bytes; }
  const PeerInfo& peer() const override { return peer_info; }
  const Now& now() const override { return time; }
  void Wake() override { ++wakes; }

  std::string output;
  int writes = 0;
  int wakes = 0;
  std::size_t unsent_bytes = 0;
  PeerInfo peer_info{"192.0.2.1", 4711, false, ""};
  // 1994-11-06 08:49:37 UTC, the date RFC 9110 uses.
  Now time{Instant(std::chrono::hours(1)), WallTime(std::chrono::seconds(784111777))};
};

// Owns copies of everything it was asked, and answers as told.
class RecordingHandler final : public HttpHandler {
 public:
  struct Seen {
    std::string method, target, path, query, body;
    std::vector<std::pair<std::string, std::string>> headers;
    int version;
  };
  enum class When { kInline, kAtBatchEnd, kLater };

  void OnRequest(const HttpRequest& request, HttpExchange& exchange) override {
    Seen s;
    s.method = request.method;
    s.target = request.target;
    s.path = request.path;
    s.query = request.query;
    s.body = request.body;
    for (const HttpHeader& h : request.headers) s.headers.emplace_back(h.name, h.value);
    s.version = request.version;
    seen.push_back(std::move(s));
    if (on_request) on_request(request);
    if (when == When::kInline) {
      Send(exchange, seen.back().target);
    } else {
      exchange.context = this;
      waiting.push_back({&exchange, seen.back().target});
    }
  }
  void OnCancel(HttpExchange& exchange) override {
    ++cancelled;
    std::erase_if(waiting, [&](const auto& w) { return w.exchange == &exchange; });
  }
  void OnBatchEnd() override {
    ++batches;
    if (when == When::kAtBatchEnd) AnswerAll();
  }

  // Answers the nth waiting exchange with its target as the body.
  void AnswerNth(std::size_t n) {
    const auto w = waiting.at(n);
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(n));
    Send(*w.exchange, w.target);
  }
  void AnswerAll() {
    while (!waiting.empty()) AnswerNth(0);
  }

  struct Waiting {
    HttpExchange* exchange;
    std::string target;
  };
  When when = When::kInline;
  std::function<void(const HttpRequest&)> on_request;
  std::vector<Seen> seen;
  std::vector<Waiting> waiting;
  int cancelled = 0;
  int batches = 0;
  int status = 200;

 private:
  void Send(HttpExchange& exchange, std::string_view body) {
    HttpResponse response;
    response.status = status;
    response.content_type = "text/plain";
    response.body = body;
    exchange.Reply(response);
  }
};

inline std::span<const std::uint8_t> AsBytes(std::string_view s) {
  return {reinterpret_cast<const std::uint8_t*>(s.data()), s.size()};
}

// ---- requests

inline std::string Get(std::string_view path, std::string_view fields = "") {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}
inline std::string Post(std::string_view path, std::string_view body) {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}
inline std::string PostChunked(std::string_view path) {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
         "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: dropped\r\n\r\n";
}
inline std::size_t CountOf(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
  return n;
}

inline std::string PostWith(const std::string& fields, const std::string& rest = "") {
  return "POST / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n" + rest;
}

// ---- a session with its two neighbours
struct Http1Rig {
  explicit Http1Rig(Http1Options o = {}) : options(o) {}

  // Sends, and returns what came back meanwhile.
  std::string Send(std::string_view bytes) {
    session.OnBytes(AsBytes(bytes));
    return std::exchange(transport.output, {});
  }
  std::string Output() { return std::exchange(transport.output, {}); }
  // Moves the clock and lets the session notice, as a loop would.
  std::string Pass(Duration by) {
    transport.time.steady += by;
    transport.time.wall += by;
    session.OnTime();
    return Output();
  }

  Http1Options options;
  StringTransport transport;
  RecordingHandler handler;
  Http1Session session{transport, handler, options};
};

}  // namespace weir::net
