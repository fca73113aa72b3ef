#include "http_api/http_api.h"

namespace weir::http_api {

HttpApi::HttpApi(Limiter& limiter, const ResponseOptions& response, const HttpApiOptions& options,
                 DecisionObserver* observer)
    : batch_(limiter, observer),
      headers_(response),
      check_(batch_, headers_),
      json_(batch_, response),
      health_(options.healthy),
      router_(batch_) {
  router_.Add("/v1/check", "POST", check_);
  if (options.auth) {
    auth_.emplace(*options.auth, batch_, headers_);
    router_.Add("/auth", "", *auth_);
  }
  router_.Add("/json", "", json_);
  router_.Add("/healthcheck", "", health_);
  router_.Add("/openapi.json", "GET, HEAD", openapi_);
}

void HttpApi::Health::OnRequest(const net::HttpRequest&, net::HttpExchange& exchange) {
  net::HttpResponse response;
  if (healthy_ && !healthy_()) {
    response.status = 500;
  } else {
    response.content_type = "text/plain; charset=utf-8";
    response.body = "OK";
  }
  exchange.Reply(response);
}

void HttpApi::OpenApi::OnRequest(const net::HttpRequest&, net::HttpExchange& exchange) {
  net::HttpResponse response;
  response.content_type = "application/json";
  response.body = OpenApiText();
  exchange.Reply(response);
}

}  // namespace weir::http_api
