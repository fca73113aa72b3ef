#include "http_api/proto_json.h"

#include <array>

#include <gtest/gtest.h>

#include "http_api/json_text.h"

namespace weir::http_api {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string Text(const ProtoAnswer& answer) {
  std::string out;
  AppendProtoAnswer(answer, &out);
  return out;
}
std::string DurationText(Duration d) {
  std::string out;
  AppendProtoDuration(d, &out);
  return out;
}

TEST(ProtoAnswerTest, LeavesZeroValuesOut) {
  const std::array<DescriptorStatus, 1> statuses{};
  EXPECT_EQ(Text({.statuses = statuses}), R"({"overallCode":"OK","statuses":[{"code":"OK"}]})");
  EXPECT_EQ(Text({.over_limit = true}), R"({"overallCode":"OVER_LIMIT"})");
}

TEST(ProtoAnswerTest, WritesEveryPartOfAStatus) {
  Rule rule;
  rule.name = "da\"ily";
  const Quota quota =
      MakeQuota({.algorithm = Algorithm::kFixedWindow, .limit = 5, .unit = Unit::kMinute}).value();
  std::array<DescriptorStatus, 2> statuses;
  statuses[0].rule = &rule;
  statuses[0].quota = &quota;
  statuses[0].remaining = 4;
  statuses[0].reset = seconds(49);
  statuses[1].over = true;
  const std::array<HeaderLine, 2> headers{{{"RateLimit-Limit", "5"}, {"X-Empty", ""}}};
  EXPECT_EQ(Text({.over_limit = true, .statuses = statuses, .headers = headers}),
            R"({"overallCode":"OVER_LIMIT","statuses":[{"code":"OK","currentLimit":)"
            R"({"requestsPerUnit":5,"unit":"MINUTE","name":"da\"ily"},"limitRemaining":4,)"
            R"("durationUntilReset":"49s"},{"code":"OVER_LIMIT"}],"responseHeadersToAdd":)"
            R"([{"key":"RateLimit-Limit","value":"5"},{"key":"X-Empty"}]})");
}

TEST(ProtoAnswerTest, SaysOfAnUnlimitedDescriptorTheLargestNumber) {
  std::array<DescriptorStatus, 1> statuses;
  statuses[0].unlimited = true;
  EXPECT_EQ(Text({.statuses = statuses}),
            R"({"overallCode":"OK","statuses":[{"code":"OK","limitRemaining":4294967295}]})");
}

TEST(ProtoAnswerTest, CutsNumbersToThirtyTwoBits) {
  const Quota quota =
      MakeQuota(
          {.algorithm = Algorithm::kFixedWindow, .limit = kLargestLimit, .window = seconds(10)})
          .value();
  std::array<DescriptorStatus, 1> statuses;
  statuses[0].quota = &quota;
  statuses[0].remaining = kLargestLimit;
  EXPECT_EQ(Text({.statuses = statuses}),
            R"({"overallCode":"OK","statuses":[{"code":"OK","currentLimit":)"
            R"({"requestsPerUnit":4294967295},"limitRemaining":4294967295,)"
            R"("durationUntilReset":"0s"}]})");
}

TEST(ProtoDurationTest, HasNoFractionOrThreeDigitsOfOne) {
  EXPECT_EQ(DurationText(seconds(49)), "49s");
  EXPECT_EQ(DurationText(milliseconds(20)), "0.020s");
  EXPECT_EQ(DurationText(milliseconds(1005)), "1.005s");
  EXPECT_EQ(DurationText(milliseconds(1500)), "1.500s");
  EXPECT_EQ(DurationText(Duration(1)), "0.001s");
  EXPECT_EQ(DurationText(-seconds(1)), "0s");
}

TEST(JsonTextTest, EscapesWhatMustBeEscaped) {
  std::string out;
  AppendJsonString("a\"\\\n\x01\x7f caf\xc3\xa9 \xff\xc3", &out);
  EXPECT_EQ(out, "\"a\\\"\\\\\\u000a\\u0001\x7f caf\xc3\xa9 \xef\xbf\xbd\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace weir::http_api
