#pragma once

#include <string>

#include "http_api/check_batch.h"
#include "http_api/request_reader.h"
#include "http_api/router.h"
#include "weir/answer/rate_limit_response.h"

namespace weir::http_api {

// /json as envoyproxy/ratelimit has it, for any method: a RateLimitRequest in proto3 JSON, a
// RateLimitResponse back.  200 for OK, 429 for OVER_LIMIT, 400 with the text `Bad Request` for
// everything that is wrong with the request.
//
// Where Weir has an answer that the reference service has not, a denial because a rule fails
// closed, it is OVER_LIMIT with status 503.  `isNegativeHits`, which the reference does not know
// yet, is understood.
class JsonEndpoint final : public Endpoint, private DecisionSink {
 public:
  // `batch` must outlive this.
  JsonEndpoint(CheckBatch& batch, const ResponseOptions& options);

  void OnRequest(const net::HttpRequest& request, net::HttpExchange& exchange) override;

 private:
  void OnDecision(const PendingCheck& check, const Decision& decision) override;

  CheckBatch& batch_;
  const CheckBatch::Keep keep_;
  RequestReader reader_{Dialect::kProto};
  ResponseComposer composer_;
  std::string body_;
};

}  // namespace weir::http_api
