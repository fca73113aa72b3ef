#include "http_api/check_endpoint.h"

#include <algorithm>

#include "http_api/json_text.h"

namespace weir::http_api {
namespace {

void AppendMillis(Duration duration, std::string* out) {
  const auto millis =
      std::chrono::ceil<std::chrono::milliseconds>(std::max(duration, Duration{})).count();
  AppendJsonNumber(static_cast<std::uint64_t>(millis), out);
}

}  // namespace

void AppendDecision(const Decision& decision, std::string* out) {
  out->append(decision.allowed() ? "{\"allowed\":true,\"basis\":\""
                                 : "{\"allowed\":false,\"basis\":\"");
  out->append(NameOf(decision.basis));
  if (decision.rule == nullptr) {
    out->append("\",\"rule\":null,\"limit\":null,\"remaining\":null");
  } else {
    out->append("\",\"rule\":");
    AppendJsonString(decision.rule->label(), out);
    out->append(",\"limit\":");
    AppendJsonNumber(decision.limit, out);
    out->append(",\"remaining\":");
    AppendJsonNumber(decision.remaining, out);
  }
  out->append(",\"retry_after_ms\":");
  if (decision.retry_after == kNeverFits) {
    out->append("null");
  } else {
    AppendMillis(decision.retry_after, out);
  }
  out->append(",\"reset_after_ms\":");
  AppendMillis(decision.reset_after, out);
  if (decision.would_deny) out->append(",\"would_deny\":true");
  out->push_back('}');
}

int HttpStatusOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kAllow:
      return 200;
    case Verdict::kDeny:
      return 429;
    case Verdict::kUnavailable:
      break;
  }
  return 503;
}

void CheckEndpoint::OnRequest(const net::HttpRequest& request, net::HttpExchange& exchange) {
  Request asked;
  if (const auto fault = reader_.Read(request.body, &asked)) {
    return ReplyBodyProblem(exchange, fault->detail, fault->pointer);
  }
  batch_.Add(asked, request, exchange, *this);
}

void CheckEndpoint::OnDecision(const PendingCheck& check, const Decision& decision) {
  headers_.Gather(check, decision, check.now, check.request.cost);
  body_.clear();
  AppendDecision(decision, &body_);
  net::HttpResponse response;
  response.status = HttpStatusOf(decision.verdict);
  response.content_type = "application/json";
  response.headers = headers_.lines();
  response.body = body_;
  check.exchange->Reply(response);
}

}  // namespace weir::http_api
