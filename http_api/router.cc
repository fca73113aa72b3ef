#include "http_api/router.h"

#include <array>
#include <string>

#include "http_api/json_text.h"
#include "net/http1_writer.h"
#include "weir/answer/problem.h"

namespace weir::http_api {
namespace {

bool Allows(std::string_view allow, std::string_view method) {
  while (!allow.empty()) {
    const std::size_t comma = allow.find(", ");
    if (allow.substr(0, comma) == method) return true;
    if (comma == std::string_view::npos) return false;
    allow.remove_prefix(comma + 2);
  }
  return false;
}

std::string ProblemText(int status, std::string_view detail) {
  std::string body = "{\"type\":\"about:blank\",\"title\":";
  AppendJsonString(net::ReasonPhrase(status), &body);
  body.append(",\"status\":");
  AppendJsonNumber(static_cast<std::uint64_t>(status), &body);
  body.append(",\"detail\":");
  AppendJsonString(detail, &body);
  return body;
}

void Reply(net::HttpExchange& exchange, int status, std::string_view body,
           std::span<const net::HttpHeader> headers) {
  net::HttpResponse response;
  response.status = status;
  response.content_type = kProblemMediaType;
  response.headers = headers;
  response.body = body;
  exchange.Reply(response);
}

}  // namespace

void ReplyProblem(net::HttpExchange& exchange, int status, std::string_view detail,
                  std::span<const net::HttpHeader> headers) {
  Reply(exchange, status, ProblemText(status, detail) + "}", headers);
}

void ReplyBodyProblem(net::HttpExchange& exchange, std::string_view detail,
                      std::string_view pointer) {
  std::string body = ProblemText(400, detail);
  body.append(",\"pointer\":");
  AppendJsonString(pointer, &body);
  body.push_back('}');
  Reply(exchange, 400, body, {});
}

void Router::Add(std::string_view path, std::string_view allow, Endpoint& endpoint) {
  routes_.push_back({path, allow, &endpoint});
}

void Router::OnRequest(const net::HttpRequest& request, net::HttpExchange& exchange) {
  for (const Route& route : routes_) {
    if (route.path != request.path) continue;
    if (route.allow.empty() || Allows(route.allow, request.method)) {
      return route.endpoint->OnRequest(request, exchange);
    }
    const std::array<net::HttpHeader, 1> allow{{{"Allow", route.allow}}};
    return ReplyProblem(exchange, 405, "this path does not know the method", allow);
  }
  ReplyProblem(exchange, 404, "no such path; /openapi.json lists them");
}

}  // namespace weir::http_api
