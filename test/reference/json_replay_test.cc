// The recorded calls once more, through the face they were recorded at: bodies posted to /json over
// HTTP/1.1, and the status and the very bytes that came back.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "http_api/api_rig.h"
#include "test/reference/recording.h"
#include "weir/config/policy_loader.h"

namespace weir::reference {
namespace {

constexpr const char* kRecording = "test/data/reference/answers.jsonl.gz";

ResponseOptions Answers() {
  ResponseOptions options;
  options.reference_headers = true;
  return options;
}

std::vector<DomainRules> RulesOf(const std::string& text) {
  const std::array<SourceFile, 1> files = {{{"policy.yaml", text}}};
  LoadOptions load;
  load.profile = Profile::kReference;
  return LoadPolicy(files, load).domains;
}

// What differs, a line each.  With `late`, calls that crossed a second's edge count in the second
// after the one recorded.
std::vector<std::string> Differences(const RecordedPolicy& policy, bool late) {
  http_api::ApiRig rig({}, RulesOf(policy.file), Profile::kReference, Answers());
  const Instant start = rig.transport.time.steady;
  std::vector<std::string> differences;
  for (const RecordedCall& call : policy.calls) {
    const std::int64_t at = call.at + (late && call.straddles_a_second ? 1 : 0);
    rig.transport.time = {.steady = start + std::chrono::seconds(call.at - policy.calls.front().at),
                          .wall = WallTime(std::chrono::seconds(at))};
    const http_api::Answered answer = rig.Post("/json", call.request.dump());
    if (call.straddles_a_second) {  // Its times were read on both sides of the edge.
      if (answer.status == call.status) continue;
    } else if (answer.status == call.status && answer.body == call.body) {
      continue;
    }
    differences.push_back(call.request.dump() + "\n  recorded " + std::to_string(call.status) +
                          " " + call.body + "\n  ours     " + std::to_string(answer.status) + " " +
                          answer.body);
  }
  return differences;
}

TEST(JsonReplayTest, AnswersEveryRecordedBodyWithTheRecordedStatusAndBytes) {
  const std::vector<RecordedPolicy> policies = ReadRecording(kRecording);
  ASSERT_EQ(policies.size(), 300U);
  std::size_t calls = 0;
  std::size_t straddling = 0;
  for (const RecordedPolicy& policy : policies) {
    calls += policy.calls.size();
    straddling += static_cast<std::size_t>(
        std::count_if(policy.calls.begin(), policy.calls.end(),
                      [](const RecordedCall& call) { return call.straddles_a_second; }));
    std::vector<std::string> differences = Differences(policy, false);
    if (!differences.empty()) {
      std::vector<std::string> late = Differences(policy, true);
      if (late.size() < differences.size()) differences.swap(late);
    }
    for (const std::string& difference : differences) ADD_FAILURE() << difference;
  }
  EXPECT_EQ(calls, 12'000U);
  EXPECT_LT(straddling, 10U);  // The only bodies that are not compared whole.
}

}  // namespace
}  // namespace weir::reference
