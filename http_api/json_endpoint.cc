#include "http_api/json_endpoint.h"

#include <array>

#include "http_api/proto_json.h"

namespace weir::http_api {
namespace {

// A JSON answer has no body to replace.
ResponseOptions WithoutBodies(ResponseOptions options) {
  options.problem_bodies = false;
  return options;
}

}  // namespace

JsonEndpoint::JsonEndpoint(CheckBatch& batch, const ResponseOptions& options)
    : batch_(batch),
      keep_(options.dynamic_metadata ? CheckBatch::Keep::kTexts : CheckBatch::Keep::kCost),
      composer_(WithoutBodies(options)) {}

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
  batch_.Add(asked, request, exchange, *this, 0, keep_);
}

void JsonEndpoint::OnDecision(const PendingCheck& check, const Decision& decision) {
  const RateLimitResponse& answer = composer_.Compose(check.request, check, decision, check.now);
  body_.clear();
  AppendProtoResponse(answer, &body_);
  net::HttpResponse response;
  if (answer.over) response.status = decision.verdict == Verdict::kUnavailable ? 503 : 429;
  response.content_type = "application/json";
  response.body = body_;
  check.exchange->Reply(response);
}

}  // namespace weir::http_api
