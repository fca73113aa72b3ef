#include "rls/decode.h"

#include <string>

#include <gtest/gtest.h>

#include "rls/oracle.h"

namespace weir::rls {
namespace {

std::string Text(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes) text.push_back(static_cast<char>(byte));
  return text;
}

bool Decode(const std::string& bytes, DecodedRequest& out) {
  return DecodeRequest(BytesOf(bytes), out);
}

TEST(DecodeTest, ReadsTheKnownVector) {
  const std::string bytes =
      Text({0x0A, 0x01, 0x64, 0x12, 0x08, 0x0A, 0x06, 0x0A, 0x01, 0x6B, 0x12, 0x01, 0x76});
  DecodedRequest out;
  ASSERT_TRUE(Decode(bytes, out));
  EXPECT_EQ(out.request.domain, "d");
  EXPECT_EQ(out.request.cost, 1U);
  ASSERT_EQ(out.request.descriptors.size(), 1U);
  ASSERT_EQ(out.request.descriptors[0].entries.size(), 1U);
  EXPECT_EQ(out.request.descriptors[0].entries[0], (Entry{"k", "v"}));
}

TEST(DecodeTest, ReadsNothingFromNothing) {
  DecodedRequest out;
  ASSERT_TRUE(Decode("", out));
  EXPECT_TRUE(out.request.domain.empty());
  EXPECT_TRUE(out.request.descriptors.empty());
  EXPECT_EQ(out.request.cost, 1U);
}

TEST(DecodeTest, AcceptsADescriptorWithoutEntries) {
  DecodedRequest out;
  ASSERT_TRUE(Decode(Text({0x12, 0x00}), out));
  ASSERT_EQ(out.request.descriptors.size(), 1U);
  EXPECT_TRUE(out.request.descriptors[0].entries.empty());
}

TEST(DecodeTest, TakesZeroHitsForOneButNotADescriptorsOwnZero) {
  WireRequest wire;
  wire.add_descriptors()->mutable_hits_addend()->set_value(0);
  wire.add_descriptors();
  wire.set_hits_addend(0);
  DecodedRequest out;
  const std::string bytes = wire.SerializeAsString();
  ASSERT_TRUE(Decode(bytes, out));
  EXPECT_EQ(out.request.cost, 1U);
  EXPECT_FALSE(out.request.cost_given);
  EXPECT_EQ(out.request.descriptors[0].cost, 0U);
  EXPECT_EQ(out.request.descriptors[1].cost, std::nullopt);
}

TEST(DecodeTest, ReadsRefundsAndLimits) {
  WireRequest wire;
  wire.set_hits_addend(7);
  auto* const descriptor = wire.add_descriptors();
  descriptor->set_is_negative_hits(true);
  descriptor->mutable_hits_addend()->set_value(1ULL << 60U);
  descriptor->mutable_limit()->set_requests_per_unit(42);
  descriptor->mutable_limit()->set_unit(envoy::type::v3::HOUR);
  DecodedRequest out;
  const std::string bytes = wire.SerializeAsString();
  ASSERT_TRUE(Decode(bytes, out));
  EXPECT_EQ(out.request.cost, 7U);
  EXPECT_TRUE(out.request.cost_given);
  const Descriptor& read = out.request.descriptors[0];
  EXPECT_TRUE(read.refund);
  EXPECT_EQ(read.cost, 1ULL << 60U);
  EXPECT_EQ(read.limit->requests_per_unit, 42U);
  EXPECT_EQ(read.limit->unit, Unit::kHour);
}

TEST(DecodeTest, AUnitThatNoEnumNamesIsUnknown) {
  for (const int unit : {-1, 0, 8, 99}) {
    WireRequest wire;
    wire.add_descriptors()->mutable_limit()->set_unit(
        static_cast<envoy::type::v3::RateLimitUnit>(unit));
    DecodedRequest out;
    const std::string bytes = wire.SerializeAsString();
    ASSERT_TRUE(Decode(bytes, out));
    EXPECT_EQ(out.request.descriptors[0].limit->unit, Unit::kUnknown) << unit;
  }
}

TEST(DecodeTest, KnowsTheWeekByItsNumber) {
  WireRequest wire;
  wire.add_descriptors()->mutable_limit()->set_unit(static_cast<envoy::type::v3::RateLimitUnit>(7));
  DecodedRequest out;
  const std::string bytes = wire.SerializeAsString();
  ASSERT_TRUE(Decode(bytes, out));
  EXPECT_EQ(out.request.descriptors[0].limit->unit, Unit::kWeek);
}

TEST(DecodeTest, NotesThatTheClientWroteOne) {
  WireRequest wire;
  wire.set_hits_addend(1);
  DecodedRequest out;
  const std::string bytes = wire.SerializeAsString();
  ASSERT_TRUE(Decode(bytes, out));
  EXPECT_EQ(out.request.cost, 1U);
  EXPECT_TRUE(out.request.cost_given);
}

TEST(DecodeTest, SkipsUnknownFieldsAndKnownOnesInAnotherWireType) {
  DecodedRequest out;
  // Field 99 as varint; domain (1) as varint; hits_addend (3) as bytes.
  ASSERT_TRUE(Decode(Text({0x98, 0x06, 0x05, 0x08, 0x01, 0x1A, 0x01, 0x78}), out));
  EXPECT_TRUE(out.request.domain.empty());
  EXPECT_EQ(out.request.cost, 1U);
  // An entry whose key is a varint.
  ASSERT_TRUE(Decode(Text({0x12, 0x04, 0x0A, 0x02, 0x08, 0x01}), out));
  EXPECT_EQ(out.request.descriptors[0].entries[0], (Entry{}));
}

TEST(DecodeTest, RefusesMalformedBytesAndLeavesNothing) {
  for (const std::string& bytes : {
           Text({0x0A}),                          // A length is missing.
           Text({0x0A, 0x05, 0x61}),              // A text is cut off.
           Text({0x12, 0x03, 0x0A, 0x05, 0x61}),  // A nested one.
           Text({0x18, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01}),
           Text({0x00}),                                      // Field number 0.
           Text({0x0F}),                                      // Wire type 7.
           Text({0x0C}),                                      // The end of no group.
           Text({0x98, 0x80, 0x80, 0x80, 0x80, 0x00, 0x05}),  // A tag of six bytes.
       }) {
    DecodedRequest out;
    EXPECT_FALSE(Decode(bytes, out));
    EXPECT_TRUE(out.request.descriptors.empty());
    EXPECT_EQ(CompareRequest(BytesOf(bytes)), "");
  }
}

TEST(DecodeTest, RefusesTextsThatAreNotUtf8) {
  DecodedRequest out;
  EXPECT_FALSE(Decode(Text({0x0A, 0x01, 0xFF}), out));
  EXPECT_FALSE(Decode(Text({0x12, 0x05, 0x0A, 0x03, 0x0A, 0x01, 0xC3}), out));
  EXPECT_TRUE(Decode(Text({0x0A, 0x02, 0xC3, 0xBC}), out));
}

TEST(DecodeTest, MergesAMessageFieldThatRepeats) {
  // limit {requests_per_unit 5}, then limit {unit HOUR}; hits_addend {3}, then {}.
  const std::string bytes = Text({0x12, 0x0E, 0x12, 0x02, 0x08, 0x05, 0x12, 0x02, 0x10, 0x03, 0x1A,
                                  0x02, 0x08, 0x03, 0x1A, 0x00});
  DecodedRequest out;
  ASSERT_TRUE(Decode(bytes, out));
  EXPECT_EQ(out.request.descriptors[0].limit->requests_per_unit, 5U);
  EXPECT_EQ(out.request.descriptors[0].limit->unit, Unit::kHour);
  EXPECT_EQ(out.request.descriptors[0].cost, 3U);
}

TEST(DecodeTest, AnOverlongZeroIsFalse) {
  DecodedRequest out;
  ASSERT_TRUE(Decode(Text({0x12, 0x03, 0x20, 0x80, 0x00}), out));
  EXPECT_FALSE(out.request.descriptors[0].refund);
}

TEST(DecodeTest, RefusesMoreDescriptorsOrEntriesThanItsBounds) {
  std::string descriptors;
  for (std::size_t i = 0; i < kMostDescriptors; ++i) descriptors += Text({0x12, 0x00});
  DecodedRequest out;
  EXPECT_TRUE(Decode(descriptors, out));
  EXPECT_EQ(out.request.descriptors.size(), kMostDescriptors);
  EXPECT_FALSE(Decode(descriptors + Text({0x12, 0x00}), out));

  WireRequest wire;
  auto* const descriptor = wire.add_descriptors();
  for (std::size_t i = 0; i < kMostEntries; ++i) descriptor->add_entries();
  EXPECT_TRUE(Decode(wire.SerializeAsString(), out));
  wire.add_descriptors()->add_entries();
  EXPECT_FALSE(Decode(wire.SerializeAsString(), out));
}

TEST(DecodeTest, KeepsItsMemoryFromRequestToRequest) {
  WireRequest wire;
  for (int i = 0; i < 20; ++i) wire.add_descriptors()->add_entries()->set_key("key");
  const std::string bytes = wire.SerializeAsString();
  DecodedRequest out;
  ASSERT_TRUE(Decode(bytes, out));
  const Entry* const entries = out.entries.data();
  const Descriptor* const descriptors = out.descriptors.data();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Decode(bytes, out));
  EXPECT_EQ(out.entries.data(), entries);
  EXPECT_EQ(out.descriptors.data(), descriptors);
}

}  // namespace
}  // namespace weir::rls
