#include "http_api/forward_auth.h"

#include "http_api/check_endpoint.h"

namespace weir::http_api {
namespace {

std::string_view LastHeader(const net::HttpRequest& request, std::string_view name) {
  for (std::size_t i = request.headers.size(); i-- > 0;) {
    if (net::SameHeaderName(request.headers[i].name, name)) return request.headers[i].value;
  }
  return {};
}

// The status to deny with: 0 as it is, -1 for a query that makes no sense.
int DenyStatus(std::string_view query) {
  if (query.empty()) return 0;
  if (query == "deny=401") return 401;
  return query == "deny=403" ? 403 : -1;
}

}  // namespace

ForwardAuthEndpoint::ForwardAuthEndpoint(const ForwardAuthMapping& mapping, CheckBatch& batch,
                                         AnswerHeaders& headers)
    : mapping_(mapping), batch_(batch), headers_(headers) {
  std::size_t entries = 0;
  for (const auto& sources : mapping.descriptors) entries += sources.size();
  entries_.reserve(entries);
  descriptors_.reserve(mapping.descriptors.size());
}

void ForwardAuthEndpoint::AddDescriptor(const std::vector<EntrySource>& sources,
                                        const net::HttpRequest& request) {
  const std::size_t first = entries_.size();
  for (const EntrySource& source : sources) {
    std::string_view value = source.value;
    if (!source.header.empty()) {
      value = LastHeader(request, source.header);
      if (value.empty() && !source.fallback) {
        entries_.resize(first);
        return;
      }
      if (value.empty()) value = *source.fallback;
    }
    entries_.push_back({source.key, value});
  }
  Descriptor& descriptor = descriptors_.emplace_back();
  descriptor.entries = {entries_.data() + first, entries_.size() - first};
}

void ForwardAuthEndpoint::OnRequest(const net::HttpRequest& request, net::HttpExchange& exchange) {
  const int deny = DenyStatus(request.query);
  if (deny < 0) return ReplyProblem(exchange, 400, "the query may only be deny=401 or deny=403");
  entries_.clear();
  descriptors_.clear();
  for (const auto& sources : mapping_.descriptors) AddDescriptor(sources, request);
  if (descriptors_.empty()) return exchange.Reply(net::HttpResponse{});
  batch_.Add({mapping_.domain, descriptors_, 1}, request, exchange, *this, deny);
}

void ForwardAuthEndpoint::OnDecision(const PendingCheck& check, const Decision& decision) {
  headers_.Gather(check, decision, check.now, check.request.cost);
  net::HttpResponse response;
  response.status = HttpStatusOf(decision.verdict);
  if (decision.allowed()) {
    response.headers = headers_.lines();
    return check.exchange->Reply(response);
  }
  const std::array<net::HttpHeader, 1> truth{
      {{"X-Weir-Status", decision.verdict == Verdict::kDeny ? "429" : "503"}}};
  response.headers =
      headers_.lines(check.tag == 0 ? std::span<const net::HttpHeader>() : std::span(truth));
  if (check.tag != 0) response.status = check.tag;
  response.content_type = kProblemMediaType;
  response.body = problem_.Write(headers_.facts(), decision.rule);
  check.exchange->Reply(response);
}

}  // namespace weir::http_api
