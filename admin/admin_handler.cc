#include "admin/admin_handler.h"

#include <array>
#include <string_view>

#include "admin/access.h"
#include "admin/pages.h"

namespace weir::admin {
namespace {

struct Endpoint {
  std::string_view path;
  std::string_view help;
  Page (*page)(const AdminState&, std::string_view query, const Now&);
};

// Sorted by path: this is also the order of the list.
constexpr std::array<Endpoint, 8> kEndpoints = {
    {{"/config_dump", "the policy in force as JSON, with file and line", ConfigDumpPage},
     {"/healthcheck", "OK, or 500 with the reason", HealthPage},
     {"/livez", "OK, or 503 if the process should be restarted", LivePage},
     {"/metrics", "metrics in the Prometheus text format", MetricsPage},
     {"/readyz", "OK, or 503 if no traffic should be sent", ReadyPage},
     {"/rlconfig", "the limits in force, one a line", RuleListPage},
     {"/server_info", "version, uptime and options as JSON", ServerInfoPage},
     {"/stats", "counts by name; ?filter=REGEX&format=json|prometheus&usedonly", StatsPage}}};

std::string List() {
  std::string out = "/: this list\n";
  for (const Endpoint& e : kEndpoints) out.append(e.path).append(": ").append(e.help).append("\n");
  return out;
}

Page Refusal(Access access) {
  switch (access) {
    case Access::kTokenMissing:
      return {.status = 401, .body = "a bearer token is required\n"};
    case Access::kCrossOrigin:
      return {.status = 403, .body = "not from a page of another site\n"};
    case Access::kBadMethod:
      return {.status = 405, .body = "only GET and HEAD\n"};
    case Access::kGranted:
      break;
  }
  return {};
}

void Reply(const Page& page, net::HttpHeader extra, net::HttpExchange& exchange) {
  // Pages tell about traffic as it is now, and a browser should not guess what they are.
  const std::array<net::HttpHeader, 3> headers = {
      {{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}, extra}};
  exchange.Reply({.status = page.status,
                  .content_type = page.content_type,
                  .headers = std::span(headers).first(extra.name.empty() ? 2 : 3),
                  .body = page.body});
}

}  // namespace

void AdminHandler::OnRequest(const net::HttpRequest& request, net::HttpExchange& exchange) {
  const Access access = Judge(request, options_.token);
  if (access != Access::kGranted) {
    net::HttpHeader extra;
    if (access == Access::kTokenMissing)
      extra = {"WWW-Authenticate", "Bearer realm=\"weir admin\""};
    if (access == Access::kBadMethod) extra = {"Allow", "GET, HEAD"};
    return Reply(Refusal(access), extra, exchange);
  }
  for (const Endpoint& e : kEndpoints) {
    if (e.path == request.path) {
      return Reply(e.page(state_, request.query, request.now), {}, exchange);
    }
  }
  Reply({.status = request.path == "/" ? 200 : 404, .body = List()}, {}, exchange);
}

}  // namespace weir::admin
