#pragma once

#include <string_view>
#include <vector>

#include "http_api/check_batch.h"
#include "net/http.h"

namespace weir::http_api {

// What answers the requests of one path.
class Endpoint {
 public:
  Endpoint() = default;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  virtual ~Endpoint() = default;
  // Answers, or adds to the loop's CheckBatch; nothing else may answer later.
  virtual void OnRequest(const net::HttpRequest& request, net::HttpExchange& exchange) = 0;
};

// Answers with a problem body (RFC 9457) of type about:blank.  The second is a 400 about the body,
// and says as the member `pointer` (RFC 6901) where in it the fault is.
void ReplyProblem(net::HttpExchange& exchange, int status, std::string_view detail,
                  std::span<const net::HttpHeader> headers = {});
void ReplyBodyProblem(net::HttpExchange& exchange, std::string_view detail,
                      std::string_view pointer);

// Sends each request to the endpoint of its path, which must be equal byte by byte; 404 where there
// is none, 405 with Allow for a method the endpoint does not know.  One for each loop.
class Router final : public net::HttpHandler {
 public:
  // `batch` must outlive this.
  explicit Router(CheckBatch& batch) : batch_(batch) {}

  // `allow`: methods as in the Allow header, "GET, HEAD"; empty for any.  All must outlive this.
  void Add(std::string_view path, std::string_view allow, Endpoint& endpoint);

  void OnRequest(const net::HttpRequest& request, net::HttpExchange& exchange) override;
  void OnCancel(net::HttpExchange& exchange) override { CheckBatch::Cancel(exchange); }
  void OnBatchEnd() override { batch_.Commit(); }

 private:
  struct Route {
    std::string_view path;
    std::string_view allow;
    Endpoint* endpoint;
  };

  CheckBatch& batch_;
  std::vector<Route> routes_;
};

}  // namespace weir::http_api
