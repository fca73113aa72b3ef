#pragma once

#include <functional>
#include <string_view>

#include "http_api/answer_headers.h"
#include "http_api/check_batch.h"
#include "http_api/check_endpoint.h"
#include "http_api/forward_auth.h"
#include "http_api/json_endpoint.h"
#include "http_api/router.h"
#include "net/http.h"
#include "weir/limiter/limiter.h"

namespace weir::http_api {

struct HttpApiOptions {
  // Without a mapping /auth is 404.
  std::optional<ForwardAuthMapping> auth;
  // What /healthcheck tells; called on the loop's thread, must not block.  Empty: always healthy.
  // Never let it depend on the store, else an outage ejects every instance.
  std::function<bool()> healthy;
};

// The text of /openapi.json: OpenAPI 3.1, kept in http_api/openapi.json.
std::string_view OpenApiText();

// The HTTP face of one loop:
//
//   POST /v1/check       a decision in JSON
//   any  /auth           forward auth
//   any  /json           envoyproxy/ratelimit's JSON endpoint
//   any  /healthcheck    200 `OK`, or 500 without a body
//   GET  /openapi.json   the description of the above
//
// Give it to that loop's Http1Sessions.  Not thread-safe.
class HttpApi final : public net::HttpHandler {
 public:
  // All must outlive this.  `limiter` and `response` may be shared with the loop's other faces.
  HttpApi(Limiter& limiter, const ResponseOptions& response, const HttpApiOptions& options,
          DecisionObserver* observer = nullptr);

  void OnRequest(const net::HttpRequest& request, net::HttpExchange& exchange) override {
    router_.OnRequest(request, exchange);
  }
  void OnCancel(net::HttpExchange& exchange) override { router_.OnCancel(exchange); }
  void OnBatchEnd() override { router_.OnBatchEnd(); }

 private:
  class Health final : public Endpoint {
   public:
    explicit Health(const std::function<bool()>& healthy) : healthy_(healthy) {}
    void OnRequest(const net::HttpRequest& request, net::HttpExchange& exchange) override;

   private:
    const std::function<bool()>& healthy_;
  };
  class OpenApi final : public Endpoint {
    void OnRequest(const net::HttpRequest& request, net::HttpExchange& exchange) override;
  };

  CheckBatch batch_;
  AnswerHeaders headers_;
  CheckEndpoint check_;
  JsonEndpoint json_;
  std::optional<ForwardAuthEndpoint> auth_;
  Health health_;
  OpenApi openapi_;
  Router router_;
};

}  // namespace weir::http_api
