#include "rls/encode.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rls/oracle.h"

namespace weir::rls {
namespace {

std::string Encoded(const RateLimitResponse& response) {
  std::string bytes;
  EncodeResponse(response, bytes);
  return bytes;
}

std::string Check(const RateLimitResponse& response) {
  WireResponse wire;
  if (!wire.ParseFromString(Encoded(response))) return "does not parse";
  return Difference(wire, response);
}

ResponseStatus TenAMinute() {
  ResponseStatus status;
  status.over = true;
  status.has_limit = true;
  status.requests_per_unit = 10;
  status.unit = Unit::kMinute;
  status.reset = std::chrono::seconds(30);
  return status;
}

TEST(EncodeTest, WritesTheKnownVector) {
  const std::vector<ResponseStatus> statuses = {TenAMinute()};
  RateLimitResponse response;
  response.over = true;
  response.statuses = statuses;
  EXPECT_EQ(Encoded(response),
            std::string("\x08\x02\x12\x0C\x08\x02\x12\x04\x08\x0A\x10\x02\x22\x02\x08\x1E"));
}

TEST(EncodeTest, ASilentAnswerIsStillOk) {
  EXPECT_EQ(Encoded({}), std::string("\x08\x01"));
}

TEST(EncodeTest, HoldsTheLargestNumbersAndLongNames) {
  const std::string name(300, 'n');
  ResponseStatus status = TenAMinute();
  status.requests_per_unit = 4'294'967'295U;
  status.remaining = 4'294'967'295U;
  status.unit = Unit::kWeek;
  status.name = name;
  status.reset = Duration::max();
  ResponseStatus unlimited;
  unlimited.remaining = 4'294'967'295U;
  const std::vector<ResponseStatus> statuses = {status, unlimited, TenAMinute()};
  RateLimitResponse response;
  response.statuses = statuses;
  EXPECT_EQ(Check(response), "");
}

TEST(EncodeTest, ANegativeResetCountsAsZero) {
  ResponseStatus status = TenAMinute();
  status.reset = Duration(-1);
  const std::vector<ResponseStatus> statuses = {status};
  RateLimitResponse response;
  response.statuses = statuses;
  EXPECT_EQ(Check(response), "");
}

TEST(EncodeTest, CarriesHeadersBodyAndMetadata) {
  const std::vector<HeaderLine> headers = {{"retry-after", "3"}, {"empty", ""}};
  Value::Struct inner;
  inner.emplace_back("null", Value{});
  inner.emplace_back("no", Value{false});
  inner.emplace_back("number", Value{0.0});
  inner.emplace_back("text", Value{std::string(200, 't')});
  Value::List list{Value{true}, Value{Value::List{}}, Value{inner}};
  Value::Struct metadata;
  metadata.emplace_back("", Value{std::string()});
  metadata.emplace_back("list", Value{list});
  metadata.emplace_back("inner", Value{inner});
  RateLimitResponse response;
  response.headers = headers;
  response.raw_body = "{\"status\":429}";
  response.metadata = &metadata;
  EXPECT_EQ(Check(response), "");
}

TEST(EncodeTest, ReplacesWhatTheBufferHeld) {
  std::string bytes = "something else";
  EncodeResponse({}, bytes);
  EXPECT_EQ(bytes, std::string("\x08\x01"));
}

}  // namespace
}  // namespace weir::rls
