#include "rls/client_codec.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rls/decode.h"
#include "rls/oracle.h"
#include "rls/struct_reader.h"

namespace weir::rls {
namespace {

std::string Encoded(const Request& request) {
  std::string bytes;
  EncodeRequest(request, bytes);
  return bytes;
}

TEST(ClientCodecTest, TheServiceReadsWhatTheClientWrites) {
  const std::vector<Entry> entries = {{"tenant", "acme"}, {"path", ""}};
  std::vector<Descriptor> descriptors(3);
  descriptors[0].entries = entries;
  descriptors[1].limit = LimitOverride{5, Unit::kHour};
  descriptors[1].cost = 0;
  descriptors[2].refund = true;
  const Request request{.domain = "shop", .descriptors = descriptors, .cost = 3};
  const std::string bytes = Encoded(request);
  WireRequest wire;
  ASSERT_TRUE(wire.ParseFromString(bytes));
  DecodedRequest read;
  ASSERT_TRUE(DecodeRequest(BytesOf(bytes), read));
  EXPECT_EQ(Difference(wire, read), "");
  EXPECT_EQ(read.request.domain, "shop");
  EXPECT_EQ(read.request.cost, 3U);
  EXPECT_EQ(read.request.descriptors[0].entries[0], entries[0]);
  EXPECT_EQ(read.request.descriptors[0].entries[1], entries[1]);
  EXPECT_EQ(read.request.descriptors[1].limit->requests_per_unit, 5U);
  EXPECT_EQ(read.request.descriptors[1].limit->unit, Unit::kHour);
  EXPECT_EQ(read.request.descriptors[1].cost, 0U);
  EXPECT_TRUE(read.request.descriptors[2].refund);
}

TEST(ClientCodecTest, ACostTheRequestCannotSayGoesIntoItsDescriptors) {
  std::vector<Descriptor> descriptors(2);
  descriptors[1].cost = 9;
  for (const std::uint64_t cost : {std::uint64_t{0}, std::uint64_t{1} << 40U}) {
    const std::string bytes = Encoded({.domain = "d", .descriptors = descriptors, .cost = cost});
    DecodedRequest read;
    ASSERT_TRUE(DecodeRequest(BytesOf(bytes), read));
    EXPECT_EQ(read.request.descriptors[0].cost, cost);
    EXPECT_EQ(read.request.descriptors[1].cost, 9U);
  }
}

TEST(ClientCodecTest, ACostOfOneNeedsNoField) {
  EXPECT_EQ(Encoded({.domain = "d", .descriptors = {}, .cost = 1}),
            "\x0a\x01"
            "d");
}

TEST(ClientCodecTest, ReadsTheKnownResponse) {
  const std::string bytes("\x08\x02\x12\x0C\x08\x02\x12\x04\x08\x0A\x10\x02\x22\x02\x08\x1E");
  ReceivedResponse out;
  ASSERT_EQ(DecodeResponse(BytesOf(bytes), out), Decoding::kOk);
  EXPECT_EQ(out.code, Code::kOverLimit);
  ASSERT_EQ(out.statuses.size(), 1U);
  EXPECT_EQ(
      out.statuses[0],
      (ReceivedStatus{Code::kOverLimit, true, 10, Unit::kMinute, {}, 0, std::chrono::seconds(30)}));
}

TEST(ClientCodecTest, ACodeThatNoEnumNamesIsUnknown) {
  WireResponse wire;
  wire.set_overall_code(static_cast<WireResponse::Code>(7));
  ReceivedResponse out;
  ASSERT_EQ(DecodeResponse(BytesOf(wire.SerializeAsString()), out), Decoding::kOk);
  EXPECT_EQ(out.code, Code::kUnknown);
}

TEST(ClientCodecTest, SaturatesResetsThatNoDurationHolds) {
  for (const std::int64_t seconds : {std::int64_t{1} << 60, -(std::int64_t{1} << 60)}) {
    WireResponse wire;
    wire.add_statuses()->mutable_duration_until_reset()->set_seconds(seconds);
    ReceivedResponse out;
    ASSERT_EQ(DecodeResponse(BytesOf(wire.SerializeAsString()), out), Decoding::kOk);
    EXPECT_EQ(out.statuses[0].reset, seconds > 0 ? Duration::max() : Duration::min());
  }
}

TEST(ClientCodecTest, SaysWhyItRefuses) {
  ReceivedResponse out;
  EXPECT_EQ(DecodeResponse(BytesOf("\x0a"), out), Decoding::kMalformed);
  EXPECT_EQ(DecodeResponse(BytesOf("\x0b\x0c"), out), Decoding::kUnsupported);
  EXPECT_EQ(DecodeResponse(BytesOf("\x1a\x03\x0a\x01\xff"), out), Decoding::kInvalidUtf8);
  for (const auto why :
       {Decoding::kMalformed, Decoding::kInvalidUtf8, Decoding::kUnsupported, Decoding::kTooMany}) {
    EXPECT_FALSE(TextOf(why).empty());
  }
  EXPECT_TRUE(TextOf(Decoding::kOk).empty());
}

TEST(ClientCodecTest, RefusesMoreThanItsBounds) {
  WireResponse headers;
  for (std::size_t i = 0; i < kMostReceivedHeaders; ++i) headers.add_response_headers_to_add();
  ReceivedResponse out;
  EXPECT_EQ(DecodeResponse(BytesOf(headers.SerializeAsString()), out), Decoding::kOk);
  headers.add_response_headers_to_add();
  EXPECT_EQ(DecodeResponse(BytesOf(headers.SerializeAsString()), out), Decoding::kTooMany);
  EXPECT_TRUE(out.response_headers.empty());

  WireResponse statuses;
  for (std::size_t i = 0; i < kMostReceivedStatuses; ++i) statuses.add_statuses();
  EXPECT_EQ(DecodeResponse(BytesOf(statuses.SerializeAsString()), out), Decoding::kOk);
  statuses.add_statuses();
  EXPECT_EQ(DecodeResponse(BytesOf(statuses.SerializeAsString()), out), Decoding::kTooMany);

  WireResponse members;
  auto& fields = *members.mutable_dynamic_metadata()->mutable_fields();
  for (std::size_t i = 0; i < kMostMembers; ++i) fields[std::to_string(i)].set_bool_value(true);
  EXPECT_EQ(DecodeResponse(BytesOf(members.SerializeAsString()), out), Decoding::kOk);
  fields["one more"].set_bool_value(true);
  EXPECT_EQ(DecodeResponse(BytesOf(members.SerializeAsString()), out), Decoding::kTooMany);
}

TEST(ClientCodecTest, ReadsValuesToItsDepthAndNoFurther) {
  WireResponse wire;
  auto* value = &(*wire.mutable_dynamic_metadata()->mutable_fields())["v"];
  for (int i = 1; i < kDeepestValue; ++i) value = value->mutable_list_value()->add_values();
  ReceivedResponse out;
  EXPECT_EQ(DecodeResponse(BytesOf(wire.SerializeAsString()), out), Decoding::kOk);
  value->mutable_list_value()->add_values();
  EXPECT_EQ(DecodeResponse(BytesOf(wire.SerializeAsString()), out), Decoding::kTooMany);
}

}  // namespace
}  // namespace weir::rls
