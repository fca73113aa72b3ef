#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "net/session.h"
#include "weir/base/clock.h"

namespace weir::net {

// One header line.  Both are views; whose bytes they look at is said where they are used.
struct HttpHeader {
  std::string_view name;   // As spelled by the sender; names compare without regard to ASCII case.
  std::string_view value;  // Without the white space around it.

  bool operator==(const HttpHeader&) const = default;
};

// True if the two names are equal when ASCII case is ignored (RFC 9110 section 5.1).
bool SameHeaderName(std::string_view a, std::string_view b);

// One request, whole.  Every view is valid only during HttpHandler::OnRequest().
struct HttpRequest {
  std::string_view method;  // Case-sensitive; any token, also one nobody registered.
  std::string_view target;  // As on the request line.
  std::string_view path;    // Not percent-decoded, without the query; "*" for OPTIONS *, empty for
                            // CONNECT.
  std::string_view query;   // What follows the first '?', not decoded.
  std::span<const HttpHeader> headers;  // In order of arrival; trailers are not among them.
  std::string_view body;                // Transfer coding removed, content coding kept.
  int version = 11;                     // 10 or 11.
  const PeerInfo* peer = nullptr;       // Never null; lives as long as the connection.
  Now now{};                            // The loop's time at which the request was complete.

  // The value of the first header with this name, or nothing.
  std::optional<std::string_view> header(std::string_view name) const;
};

// An answer.  The views need to live only until HttpExchange::Reply() returns.
//
// `headers` must not contain Content-Length, Content-Type, Connection, Date or Transfer-Encoding:
// the session writes those.  A header whose name is not a token is left out, and a control
// character in a value becomes a space, so that no text can break out of its line.
struct HttpResponse {
  int status = 200;               // 200 to 599.
  std::string_view content_type;  // Left out if empty.
  std::span<const HttpHeader> headers;
  std::string_view body;  // Not sent for HEAD, 204 and 304; Content-Length is still told for HEAD.
};

// A request that waits for its answer.  Owned by the session; belongs to one loop.
class HttpExchange {
 public:
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;

  // Answers.  Exactly once, on the loop's thread: inside OnRequest() or OnBatchEnd(), or at any
  // later time, but not after OnCancel().  Answers leave in the order of the requests, whatever the
  // order of the calls.  The exchange must not be touched afterwards.
  virtual void Reply(const HttpResponse& response) = 0;

  // The handler's own note about this exchange: null in OnRequest(), then what was set.
  void* context = nullptr;

 protected:
  HttpExchange() = default;
  ~HttpExchange() = default;
};

// Who answers requests.  One handler serves all sessions of a loop; every call comes from the
// loop's thread and none is made while another is running, except that Reply() may be called from
// within them.
class HttpHandler {
 public:
  HttpHandler() = default;
  HttpHandler(const HttpHandler&) = delete;
  HttpHandler& operator=(const HttpHandler&) = delete;
  virtual ~HttpHandler() = default;

  // A complete request.  Take what is needed from `request` before returning; answer through
  // `exchange` now or later.
  virtual void OnRequest(const HttpRequest& request, HttpExchange& exchange) = 0;

  // The connection is gone and nobody reads the answer.  Not called for exchanges already
  // answered.  Drop every pointer to `exchange`.
  virtual void OnCancel(HttpExchange& exchange) { static_cast<void>(exchange); }

  // All requests of one read (at most Http1Options::max_in_hand of them) have been given: the
  // moment to commit them together.  Called only after at least one OnRequest().
  virtual void OnBatchEnd() {}
};

}  // namespace weir::net
