#pragma once

#include <string>

#include "http_api/answer_headers.h"
#include "http_api/check_batch.h"
#include "http_api/request_reader.h"
#include "http_api/router.h"

namespace weir::http_api {

// Appends a decision as the body of /v1/check: `allowed`, `basis`, `rule` (its label), `limit`,
// `remaining`, `retry_after_ms`, `reset_after_ms`, rounded up; `rule`, `limit` and `remaining` are
// null if no rule applied, `retry_after_ms` is null if waiting cannot help.  `would_deny` is there,
// and true, if a rule that is not enforced would have denied.
void AppendDecision(const Decision& decision, std::string* out);

// 200, 429 or 503.
int HttpStatusOf(Verdict verdict);

// POST /v1/check: a request in JSON (Dialect::kCheck), a decision in JSON.  200, 429 or 503 with
// limit headers; 400 with a problem body that points at the first fault.  The body is read whatever
// its Content-Type.
class CheckEndpoint final : public Endpoint, private DecisionSink {
 public:
  // Both must outlive this.
  CheckEndpoint(CheckBatch& batch, AnswerHeaders& headers) : batch_(batch), headers_(headers) {}

  void OnRequest(const net::HttpRequest& request, net::HttpExchange& exchange) override;

 private:
  void OnDecision(const PendingCheck& check, const Decision& decision) override;

  CheckBatch& batch_;
  AnswerHeaders& headers_;
  RequestReader reader_{Dialect::kCheck};
  std::string body_;
};

}  // namespace weir::http_api
