#include <random>
#include <string>
#include <vector>

#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include "rls/client_codec.h"
#include "rls/encode.h"
#include "rls/oracle.h"

namespace weir::rls {
namespace {

constexpr std::uint64_t kSeed = 20'261'130;
constexpr int kMessages = 3000;

// Thousands of random messages, each read and written by protobuf's code and by ours.
class CodecDifferentialTest : public ::testing::Test {
 protected:
  CodecDifferentialTest() {
    RecordProperty("seed", std::to_string(kSeed));
    previous_ = google::protobuf::SetLogHandler(nullptr);
  }
  ~CodecDifferentialTest() override { google::protobuf::SetLogHandler(previous_); }

  std::uint64_t Below(std::uint64_t n) { return random_() % n; }
  bool Chance() { return Below(2) == 0; }

  // Small numbers and large ones alike.
  std::uint64_t Number() { return random_() >> Below(64); }

  std::string Text() {
    static const char* const kPieces[] = {"a", "tenant", "\xc3\xbc",         "\xe2\x82\xac",
                                          "/", "0",      "\xf0\x9f\x98\x80", " "};
    std::string text;
    const std::uint64_t pieces = Below(4) == 0 ? Below(100) : Below(5);
    for (std::uint64_t i = 0; i < pieces; ++i) text += kPieces[Below(std::size(kPieces))];
    return text;
  }

  WireRequest RandomRequest() {
    WireRequest request;
    request.set_domain(Text());
    if (Chance()) request.set_hits_addend(static_cast<std::uint32_t>(Number()));
    for (std::uint64_t i = Below(5); i > 0; --i) {
      auto& descriptor = *request.add_descriptors();
      for (std::uint64_t j = Below(5); j > 0; --j) {
        auto& entry = *descriptor.add_entries();
        entry.set_key(Text());
        entry.set_value(Text());
      }
      if (Chance()) {
        auto& limit = *descriptor.mutable_limit();
        limit.set_requests_per_unit(static_cast<std::uint32_t>(Number()));
        limit.set_unit(
            static_cast<envoy::type::v3::RateLimitUnit>(static_cast<int>(Below(11)) - 1));
      }
      if (Chance()) descriptor.mutable_hits_addend()->set_value(Number());
      descriptor.set_is_negative_hits(Chance());
    }
    return request;
  }

  void Fill(google::protobuf::Value& value, int depth) {
    switch (Below(depth > 3 ? 5 : 7)) {
      case 0:
        return;
      case 1:
        return value.set_null_value(google::protobuf::NULL_VALUE);
      case 2:
        return value.set_number_value(static_cast<double>(Number()) / 8.0);
      case 3:
        return value.set_string_value(Text());
      case 4:
        return value.set_bool_value(Chance());
      case 5:
        return Fill(*value.mutable_struct_value(), depth + 1);
      default:
        for (std::uint64_t i = Below(4); i > 0; --i) {
          Fill(*value.mutable_list_value()->add_values(), depth + 1);
        }
    }
  }

  void Fill(google::protobuf::Struct& fields, int depth) {
    for (std::uint64_t i = Below(4); i > 0; --i) {
      Fill((*fields.mutable_fields())[Text()], depth);
    }
  }

  template <typename Headers>
  void FillHeaders(Headers& headers) {
    for (std::uint64_t i = Below(4); i > 0; --i) {
      auto& header = *headers.Add();
      header.set_key(Text());
      if (Chance()) header.set_value(Text());
      if (Chance()) header.set_raw_value("\xff\x01");
    }
  }

  WireResponse RandomResponse() {
    WireResponse response;
    response.set_overall_code(static_cast<WireResponse::Code>(Below(4)));
    for (std::uint64_t i = Below(5); i > 0; --i) {
      auto& status = *response.add_statuses();
      status.set_code(static_cast<WireResponse::Code>(Below(3)));
      if (Chance()) {
        auto& limit = *status.mutable_current_limit();
        limit.set_requests_per_unit(static_cast<std::uint32_t>(Number()));
        limit.set_unit(static_cast<WireResponse::RateLimit::Unit>(Below(9)));
        limit.set_name(Text());
        status.mutable_duration_until_reset()->set_seconds(
            static_cast<std::int64_t>(Number() >> 32U));
        status.mutable_duration_until_reset()->set_nanos(
            static_cast<std::int32_t>(Below(1'000'000'000)));
      }
      status.set_limit_remaining(static_cast<std::uint32_t>(Number()));
      if (Below(4) == 0) {
        status.mutable_quota()->set_requests(3);
        status.mutable_quota()->mutable_valid_until()->set_seconds(5);
        status.mutable_quota()->set_id("q");
      }
    }
    FillHeaders(*response.mutable_response_headers_to_add());
    FillHeaders(*response.mutable_request_headers_to_add());
    if (Chance()) response.set_raw_body("body \xff");
    if (Chance()) Fill(*response.mutable_dynamic_metadata(), 0);
    return response;
  }

  // Flips, cuts, repeats.
  std::string Damaged(std::string bytes) {
    for (std::uint64_t i = Below(3); i > 0 && !bytes.empty(); --i) {
      bytes[Below(bytes.size())] = static_cast<char>(random_());
    }
    if (Below(4) == 0) bytes.resize(Below(bytes.size() + 1));
    if (Below(4) == 0) bytes.insert(Below(bytes.size() + 1), 1, static_cast<char>(random_()));
    if (Below(4) == 0) bytes += bytes;
    return bytes;
  }

  std::mt19937_64 random_{kSeed};
  google::protobuf::LogHandler* previous_ = nullptr;
};

TEST_F(CodecDifferentialTest, WeReadRequestsAsProtobufDoes) {
  DecodedRequest ours;
  for (int i = 0; i < kMessages; ++i) {
    const WireRequest wire = RandomRequest();
    const std::string bytes = wire.SerializeAsString();
    ASSERT_TRUE(DecodeRequest(BytesOf(bytes), ours));
    ASSERT_EQ(Difference(wire, ours), "") << wire.DebugString();
  }
}

TEST_F(CodecDifferentialTest, WeReadDamagedRequestsAsProtobufDoes) {
  for (int i = 0; i < 5 * kMessages; ++i) {
    const std::string bytes = Damaged(RandomRequest().SerializeAsString());
    ASSERT_EQ(CompareRequest(BytesOf(bytes)), "") << ::testing::PrintToString(bytes);
  }
}

TEST_F(CodecDifferentialTest, WeReadResponsesAsProtobufDoes) {
  ReceivedResponse ours;
  for (int i = 0; i < kMessages; ++i) {
    const WireResponse wire = RandomResponse();
    const std::string bytes = wire.SerializeAsString();
    ASSERT_EQ(DecodeResponse(BytesOf(bytes), ours), Decoding::kOk);
    ASSERT_EQ(Difference(wire, ours), "") << wire.DebugString();
  }
}

TEST_F(CodecDifferentialTest, WeReadDamagedResponsesAsProtobufDoes) {
  for (int i = 0; i < 5 * kMessages; ++i) {
    const std::string bytes = Damaged(RandomResponse().SerializeAsString());
    ASSERT_EQ(CompareResponse(BytesOf(bytes)), "") << ::testing::PrintToString(bytes);
  }
}

TEST_F(CodecDifferentialTest, ProtobufReadsOurRequestsAsTheyWereMeant) {
  DecodedRequest asked;
  std::string bytes;
  for (int i = 0; i < kMessages; ++i) {
    WireRequest wire = RandomRequest();
    for (auto& descriptor : *wire.mutable_descriptors()) {
      const int unit = descriptor.limit().unit();
      if (unit < 0 || unit > 6) descriptor.mutable_limit()->clear_unit();
    }
    if (wire.hits_addend() == 1) wire.clear_hits_addend();
    const std::string theirs = wire.SerializeAsString();
    ASSERT_TRUE(DecodeRequest(BytesOf(theirs), asked));
    EncodeRequest(asked.request, bytes);
    ASSERT_EQ(bytes, theirs) << wire.DebugString();
  }
}

TEST_F(CodecDifferentialTest, ProtobufReadsOurResponsesAsTheyWereMeant) {
  ReceivedResponse received;
  std::string bytes;
  for (int i = 0; i < kMessages; ++i) {
    // A response that protobuf wrote, in the shape that the service answers with.
    const std::string theirs = RandomResponse().SerializeAsString();
    ASSERT_EQ(DecodeResponse(BytesOf(theirs), received), Decoding::kOk);
    std::vector<ResponseStatus> statuses;
    for (const ReceivedStatus& status : received.statuses) {
      statuses.push_back({status.code == Code::kOverLimit, status.has_limit,
                          status.requests_per_unit, status.unit, status.name, status.remaining,
                          status.reset});
    }
    std::vector<HeaderLine> headers;
    for (const ReceivedHeader& header : received.request_headers) {
      if (header.value != "\xff\x01") headers.push_back({header.key, header.value});
    }
    RateLimitResponse response;
    response.over = received.code == Code::kOverLimit;
    response.statuses = statuses;
    response.headers = headers;
    response.raw_body = received.raw_body;
    if (received.metadata) response.metadata = &*received.metadata;
    EncodeResponse(response, bytes);
    WireResponse wire;
    ASSERT_TRUE(wire.ParseFromString(bytes));
    ASSERT_EQ(Difference(wire, response), "") << wire.DebugString();
  }
}

}  // namespace
}  // namespace weir::rls
