// Every answer that envoyproxy/ratelimit was recorded giving, asked again under profile: reference.
// Nothing is left out; what differs on purpose is one of the rows of docs/differences.md and is
// named where it is allowed for.

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "observe/exposition.h"
#include "observe/reference_metrics.h"
#include "test/reference/recording.h"
#include "weir/answer/rate_limit_response.h"
#include "weir/config/policy_loader.h"
#include "weir/limiter/engine.h"
#include "weir/limiter/limiter.h"
#include "weir/store/memory_store.h"

namespace weir::reference {
namespace {

using nlohmann::json;

constexpr const char* kRecording = "test/data/reference/answers.jsonl.gz";
constexpr std::size_t kPolicies = 300;
constexpr std::size_t kCalls = 12'000;
constexpr std::size_t kMostPrinted = 40;

Now At(std::int64_t second) {
  constexpr std::int64_t kSteadyOrigin = 1'700'000'000;
  return {.steady = Instant(std::chrono::seconds(second - kSteadyOrigin)),
          .wall = WallTime(std::chrono::seconds(second))};
}

// The response as /json would print it, zero values omitted.
json JsonOf(const RateLimitResponse& response) {
  json out;
  out["overallCode"] = response.over ? "OVER_LIMIT" : "OK";
  for (const ResponseStatus& from : response.statuses) {
    json to;
    to["code"] = from.over ? "OVER_LIMIT" : "OK";
    if (from.has_limit) {
      json limit = json::object();
      if (from.requests_per_unit != 0) limit["requestsPerUnit"] = from.requests_per_unit;
      if (from.unit != Unit::kUnknown) limit["unit"] = NameOf(from.unit);
      if (!from.name.empty()) limit["name"] = from.name;
      to["currentLimit"] = limit;
      to["durationUntilReset"] = std::to_string(CeilSeconds(from.reset)) + "s";
    }
    if (from.remaining != 0) to["limitRemaining"] = from.remaining;
    out["statuses"].push_back(to);
  }
  for (const HeaderLine& line : response.headers) {
    out["responseHeadersToAdd"].push_back({{"key", line.name}, {"value", line.value}});
  }
  return out;
}

// A call that crossed a second's edge read the clock on both sides of it.
json WithoutTimes(json response) {
  for (json& status : response["statuses"]) status.erase("durationUntilReset");
  if (response.contains("responseHeadersToAdd")) {
    for (json& header : response["responseHeadersToAdd"]) {
      if (header["key"] == "RateLimit-Reset") header.erase("value");
    }
  }
  return response;
}

// One policy and its calls, asked of a fresh engine.  `late` says, for each straddling call in
// order, whether it counts in the second after the one recorded.
class Replay {
 public:
  Replay(const RecordedPolicy& policy, std::size_t number, std::vector<bool> late)
      : recorded_(policy),
        number_(number),
        late_(std::move(late)),
        store_({.max_keys = 10'000, .now = At(policy.calls.front().at)}),
        engine_(store_, {}),
        limiter_(engine_, 0),
        composer_(Answers()) {}

  // What differs, a line each; empty if nothing does.
  std::vector<std::string> Run() {
    const std::array<SourceFile, 1> files = {{{"policy.yaml", recorded_.file}}};
    LoadOptions load;
    load.profile = Profile::kReference;
    LoadedPolicy loaded = LoadPolicy(files, load);
    if (!loaded.ok()) {
      return {Where() + "refused: " + OneLine(loaded.diagnostics.front())};
    }
    PolicyOptions build;
    build.profile = Profile::kReference;
    build.seed = number_ + 1;
    engine_.SetPolicy(Policy::Build(std::move(loaded.domains), build));
    limiter_.BeginTurn();
    std::size_t straddling = 0;
    for (std::size_t i = 0; i < recorded_.calls.size(); ++i) {
      const RecordedCall& call = recorded_.calls[i];
      const bool late = call.straddles_a_second && late_[straddling++];
      Ask(call, i, call.at + (late ? 1 : 0));
    }
    CompareKeys();
    CompareCounters();
    return std::move(differences_);
  }

 private:
  static ResponseOptions Answers() {
    ResponseOptions options;
    options.reference_headers = true;
    return options;
  }

  std::string Where() const { return "policy " + std::to_string(number_) + ": "; }

  void Differs(const std::string& what, const std::string& recorded, const std::string& ours) {
    differences_.push_back(Where() + what + "\n  recorded " + recorded + "\n  ours     " + ours);
  }

  void Ask(const RecordedCall& call, std::size_t index, std::int64_t second) {
    const Now now = At(second);
    const RecordedRequest asked(call.request);
    limiter_.Match(asked.request(), now, check_);
    for (const Hit& hit : check_.hits) {
      auto& keys = hit.quota->unit == Unit::kSecond ? short_lived_keys_ : keys_;
      keys.emplace(hit.key);
    }
    const std::array<Check*, 1> batch = {&check_};
    ASSERT_EQ(limiter_.Commit(batch, now), 0U);
    const Decision decision = limiter_.Settle(check_);
    for (const DescriptorMatch& match : check_.matches) {
      if (match.kind == DescriptorMatch::Kind::kNoDomain) {
        ++not_found_[std::string(asked.request().domain)];
      }
    }
    const RateLimitResponse& response = composer_.Compose(asked.request(), check_, decision, now);
    json ours = JsonOf(response);
    json recorded = call.response;
    if (call.straddles_a_second) {
      ours = WithoutTimes(std::move(ours));
      recorded = WithoutTimes(std::move(recorded));
    }
    const std::string where = "call " + std::to_string(index);
    if (ours != recorded) {
      Differs(where + " " + call.request.dump(), recorded.dump(), ours.dump());
    }
    const int status = response.over ? 429 : 200;
    if (status != call.status) {
      Differs(where + " status", std::to_string(call.status), std::to_string(status));
    }
    // The verdict of the library must be that of the response.
    if (decision.allowed() == response.over) Differs(where + " decision", "", "disagrees");
  }

  void CompareKeys() {
    for (const std::string& key : recorded_.store_keys) {
      if (!keys_.contains(key) && !short_lived_keys_.contains(key)) Differs("key", key, "none");
    }
    for (const std::string& key : keys_) {
      if (!recorded_.store_keys.contains(key)) Differs("key", "none", key);
    }
  }

  void CompareCounters() {
    observe::Exposition page;
    const std::array<const Engine*, 1> engines = {&engine_};
    observe::WriteReferenceMetrics(engines, {}, page);
    std::set<std::string> ours;
    std::size_t begin = 0;
    while (begin < page.text().size()) {
      const std::size_t end = page.text().find('\n', begin);
      const std::string line = page.text().substr(begin, end - begin);
      begin = end + 1;
      // Ours exist at zero (docs/differences.md); theirs appear with the first hit.
      if (line.rfind("ratelimit_service_rate_limit_", 0) == 0 && !line.ends_with(" 0")) {
        ours.insert(line);
      }
    }
    // The recording has only the lines of the policy's own domain; the service counts each
    // descriptor that asks for another.
    for (const auto& [domain, descriptors] : not_found_) {
      const std::string name = "ratelimit_service_rate_limit_" + domain + "_domain_not_found";
      const std::string line = observe::MetricName(name) + " " + std::to_string(descriptors);
      if (ours.erase(line) != 1) Differs("counter", line, "none");
    }
    for (const std::string& line : recorded_.counters) {
      if (!ours.contains(line)) Differs("counter", line, "none");
    }
    for (const std::string& line : ours) {
      if (!recorded_.counters.contains(line)) Differs("counter", "none", line);
    }
  }

  const RecordedPolicy& recorded_;
  const std::size_t number_;
  const std::vector<bool> late_;
  MemoryStore store_;
  Engine engine_;
  Limiter limiter_;
  ResponseComposer composer_;
  Check check_;
  std::set<std::string> keys_;
  std::set<std::string> short_lived_keys_;
  std::map<std::string, std::size_t> not_found_;  // Descriptors, by domain.
  std::vector<std::string> differences_;
};

// The differences under the reading of the straddling calls that has the fewest.
std::vector<std::string> Differences(const RecordedPolicy& policy, std::size_t number) {
  std::size_t straddling = 0;
  for (const RecordedCall& call : policy.calls) straddling += call.straddles_a_second ? 1 : 0;
  std::vector<std::string> best;
  for (std::size_t reading = 0; reading < (std::size_t{1} << straddling); ++reading) {
    std::vector<bool> late;
    for (std::size_t i = 0; i < straddling; ++i) late.push_back(((reading >> i) & 1U) != 0);
    std::vector<std::string> found = Replay(policy, number, std::move(late)).Run();
    if (reading == 0 || found.size() < best.size()) best = std::move(found);
  }
  return best;
}

TEST(ReferenceReplayTest, AnswersEveryRecordedCallAsTheReferenceServiceDid) {
  const std::vector<RecordedPolicy> policies = ReadRecording(kRecording);
  ASSERT_EQ(policies.size(), kPolicies);
  std::size_t calls = 0;
  std::vector<std::string> differences;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    calls += policies[i].calls.size();
    for (std::string& difference : Differences(policies[i], i)) {
      differences.push_back(std::move(difference));
    }
  }
  EXPECT_EQ(calls, kCalls);
  EXPECT_EQ(differences.size(), 0U);
  for (std::size_t i = 0; i < std::min(differences.size(), kMostPrinted); ++i) {
    ADD_FAILURE() << differences[i];
  }
}

}  // namespace
}  // namespace weir::reference
