#include "http_api/proto_json.h"

#include <array>
#include <limits>

#include <gtest/gtest.h>

#include "http_api/json_text.h"

namespace weir::http_api {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string Text(const RateLimitResponse& response) {
  std::string out;
  AppendProtoResponse(response, &out);
  return out;
}
std::string DurationText(Duration d) {
  std::string out;
  AppendProtoDuration(d, &out);
  return out;
}
std::string ValueText(Value value) {
  std::string out;
  AppendProtoValue(value, &out);
  return out;
}

TEST(ProtoResponseTest, LeavesZeroValuesOut) {
  const std::array<ResponseStatus, 1> statuses{};
  RateLimitResponse response;
  response.statuses = statuses;
  EXPECT_EQ(Text(response), R"({"overallCode":"OK","statuses":[{"code":"OK"}]})");
  response = {};
  response.over = true;
  EXPECT_EQ(Text(response), R"({"overallCode":"OVER_LIMIT"})");
}

TEST(ProtoResponseTest, WritesEveryPart) {
  std::array<ResponseStatus, 3> statuses;
  statuses[0].has_limit = true;
  statuses[0].requests_per_unit = 5;
  statuses[0].unit = Unit::kMinute;
  statuses[0].name = "da\"ily";
  statuses[0].remaining = 4;
  statuses[0].reset = seconds(49);
  statuses[1].over = true;
  statuses[2].has_limit = true;
  const std::array<HeaderLine, 2> headers{{{"RateLimit-Limit", "5"}, {"X-Empty", ""}}};
  const Value::Struct metadata{{"a", Value{1.0}}};
  RateLimitResponse response;
  response.over = true;
  response.statuses = statuses;
  response.headers = headers;
  response.raw_body = "not told";
  response.metadata = &metadata;
  EXPECT_EQ(Text(response),
            R"({"overallCode":"OVER_LIMIT","statuses":[{"code":"OK","currentLimit":)"
            R"({"name":"da\"ily","requestsPerUnit":5,"unit":"MINUTE"},"limitRemaining":4,)"
            R"("durationUntilReset":"49s"},{"code":"OVER_LIMIT"},{"code":"OK","currentLimit":{},)"
            R"("durationUntilReset":"0s"}],"responseHeadersToAdd":)"
            R"([{"key":"RateLimit-Limit","value":"5"},{"key":"X-Empty"}],)"
            R"("dynamicMetadata":{"a":1}})");
}

TEST(ProtoValueTest, WritesEveryKind) {
  EXPECT_EQ(ValueText({}), "null");
  EXPECT_EQ(ValueText(Value{true}), "true");
  EXPECT_EQ(ValueText(Value{-3.0}), "-3");
  EXPECT_EQ(ValueText(Value{0.1}), "0.1");
  EXPECT_EQ(ValueText(Value{1e300}), "1e+300");
  EXPECT_EQ(ValueText(Value{std::numeric_limits<double>::infinity()}), "null");
  EXPECT_EQ(ValueText(Value{std::string("x\n")}), "\"x\\u000a\"");
  EXPECT_EQ(ValueText(Value{Value::List{Value{1.0}, Value{}}}), "[1,null]");
  EXPECT_EQ(ValueText(Value{Value::Struct{{"a", Value{false}}, {"b", Value{Value::Struct{}}}}}),
            R"({"a":false,"b":{}})");
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
