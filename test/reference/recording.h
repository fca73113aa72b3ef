#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "weir/core/descriptor.h"

namespace weir::reference {

// What envoyproxy/ratelimit answered: test/data/reference/answers.jsonl.gz, described in the README
// beside it.

struct RecordedCall {
  std::int64_t at = 0;  // The service's clock, in Unix seconds.
  bool straddles_a_second = false;
  nlohmann::json request;
  int status = 0;
  nlohmann::json response;
  std::string body;  // The same, as text: in the order recorded, without blanks.
};

struct RecordedPolicy {
  std::string file;
  std::vector<RecordedCall> calls;
  std::set<std::string> counters;
  std::set<std::string> store_keys;
};

// Reads the whole recording.  Throws if it is not what the README says.
std::vector<RecordedPolicy> ReadRecording(const std::string& path);

// A recorded request in our terms.  Not copyable: its texts point into itself and into the JSON.
class RecordedRequest {
 public:
  explicit RecordedRequest(const nlohmann::json& json);
  RecordedRequest(const RecordedRequest&) = delete;
  RecordedRequest& operator=(const RecordedRequest&) = delete;

  const Request& request() const { return request_; }

 private:
  std::vector<std::vector<Entry>> entries_;
  std::vector<Descriptor> descriptors_;
  Request request_;
};

}  // namespace weir::reference
