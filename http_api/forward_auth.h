#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "http_api/answer_headers.h"
#include "http_api/check_batch.h"
#include "http_api/router.h"
#include "weir/answer/problem.h"

namespace weir::http_api {

// Where the value of one entry comes from: a request header, or a literal.
struct EntrySource {
  std::string key;
  std::string header;  // Name; empty: `value` is the entry's value.
  std::string value;
  // Used where the header is missing or empty.  Without it the whole descriptor is left out.
  std::optional<std::string> fallback;
};

// Which question a request to /auth asks.  A plain value.
struct ForwardAuthMapping {
  std::string domain;
  std::vector<std::vector<EntrySource>> descriptors;  // In order, each an ordered list of entries.
};

// /auth, the question a reverse proxy asks before it lets a request through: nginx's auth_request,
// Traefik's ForwardAuth, Caddy's forward_auth.  Any method; the body is ignored.  Costs 1.
//
//   200  pass, with limit headers that the proxy may copy to its answer
//   429  over a limit, 503 no count and the rule fails closed: limit headers, Retry-After and a
//        problem body (RFC 9457) that Traefik and Caddy hand to the client as they are
//
// nginx lets only 401 and 403 through and makes 500 of anything else.  For it `/auth?deny=403` (or
// 401) denies with that status; `X-Weir-Status` then tells the true one:
//
//   location = /weir {
//     internal;
//     proxy_pass http://127.0.0.1:8080/auth?deny=403;
//     proxy_pass_request_body off;
//     proxy_set_header Content-Length "";
//     proxy_set_header X-Real-IP $remote_addr;
//   }
//   location / {
//     auth_request /weir;
//     auth_request_set $weir_retry $upstream_http_retry_after;
//     error_page 403 = @limited;
//     proxy_pass http://app;
//   }
//   location @limited { add_header Retry-After $weir_retry always; return 429; }
//
// If a header comes several times its last line counts: the nearest proxy's.  Whatever the mapping
// reads must be set by the proxy, never be passed through from the client, or clients choose their
// own limits.  A request for which no descriptor is left passes.
class ForwardAuthEndpoint final : public Endpoint, private DecisionSink {
 public:
  // All must outlive this.
  ForwardAuthEndpoint(const ForwardAuthMapping& mapping, CheckBatch& batch, AnswerHeaders& headers);

  void OnRequest(const net::HttpRequest& request, net::HttpExchange& exchange) override;

 private:
  void OnDecision(const PendingCheck& check, const Decision& decision) override;
  void AddDescriptor(const std::vector<EntrySource>& sources, const net::HttpRequest& request);

  const ForwardAuthMapping& mapping_;
  CheckBatch& batch_;
  AnswerHeaders& headers_;
  ProblemBody problem_;
  std::vector<Entry> entries_;  // Room for all; never grows, so that spans into it stay.
  std::vector<Descriptor> descriptors_;
};

}  // namespace weir::http_api
