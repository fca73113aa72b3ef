#include "http_api/json_endpoint.h"

#include <array>

#include "http_api/check_endpoint.h"
#include "http_api/proto_json.h"

namespace weir::http_api {

void JsonEndpoint::OnRequest(const net::HttpRequest& request, net::HttpExchange& exchange) {
  Request asked;
  if (reader_.Read(request.body, &asked)) {
    // To the letter what the reference's HTTP library writes.
    static constexpr std::array<net::HttpHeader, 1> kHeaders{
        {{"X-Content-Type-Options", "nosniff"}}};
    net::HttpResponse response;
    response.status = 400;
    response.content_type = "text/plain; charset=utf-8";
    response.headers = kHeaders;
    response.body = "Bad Request\n";
    return exchange.Reply(response);
  }
  batch_.Add(asked, request.now, exchange, *this);
}

void JsonEndpoint::OnDecision(const PendingCheck& check, const Decision& decision) {
  headers_.Gather(check, decision, check.now, check.cost);
  const Verdict verdict = global_shadow_ ? Verdict::kAllow : decision.verdict;
  body_.clear();
  AppendProtoAnswer({.over_limit = verdict != Verdict::kAllow,
                     .statuses = headers_.statuses(),
                     .headers = headers_.lines()},
                    &body_);
  net::HttpResponse response;
  response.status = HttpStatusOf(verdict);
  response.content_type = "application/json";
  response.body = body_;
  check.exchange->Reply(response);
}

}  // namespace weir::http_api
