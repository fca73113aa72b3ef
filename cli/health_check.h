#pragma once

#include <string>
#include <string_view>

#include "cli/byte_stream.h"

namespace weir::cli {

struct HealthAnswer {
  bool serving = false;
  std::string word;  // "SERVING", "NOT_SERVING", "HTTP 200", ...
};

// grpc.health.v1.Health.Check of `service`, empty for the whole process.  A status other than OK is
// an answer: not serving, and the status is the word.
Result<HealthAnswer, Unreachable> AskGrpcHealth(const std::string& where, std::string_view service,
                                                Duration timeout);

// GET /healthcheck, or the URL's own path; 200 is serving.
Result<HealthAnswer, Unreachable> AskHttpHealth(std::string_view url, Duration timeout);

}  // namespace weir::cli
