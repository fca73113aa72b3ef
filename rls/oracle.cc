#include "rls/oracle.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>

#include "rls/wire_writer.h"

namespace weir::rls {
namespace {

using WireDescriptor = envoy::extensions::common::ratelimit::v3::RateLimitDescriptor;
using WireHeaders = google::protobuf::RepeatedPtrField<envoy::config::core::v3::HeaderValue>;

// Collects the first mismatch.
class Mismatch {
 public:
  template <typename A, typename B>
  void Unless(std::string_view what, const A& theirs, const B& ours) {
    if (text_.empty() && !(theirs == ours)) text_ = what;
  }
  void Because(const std::string& what) {
    if (text_.empty()) text_ = what;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

bool Same(const google::protobuf::Struct& theirs, const Value::Struct& ours);

bool Same(const google::protobuf::Value& theirs, const Value& ours) {
  using Kind = google::protobuf::Value;
  switch (theirs.kind_case()) {
    case Kind::KIND_NOT_SET:
    case Kind::kNullValue:
      return ours.is_null();
    case Kind::kNumberValue: {
      const auto* const held = std::get_if<double>(&ours.held);
      const auto bits = [](double number) { return std::bit_cast<std::uint64_t>(number); };
      return held != nullptr && bits(*held) == bits(theirs.number_value());
    }
    case Kind::kStringValue: {
      const auto* const held = std::get_if<std::string>(&ours.held);
      return held != nullptr && *held == theirs.string_value();
    }
    case Kind::kBoolValue: {
      const auto* const held = std::get_if<bool>(&ours.held);
      return held != nullptr && *held == theirs.bool_value();
    }
    case Kind::kStructValue:
      return ours.as_struct() != nullptr && Same(theirs.struct_value(), *ours.as_struct());
    case Kind::kListValue: {
      const auto* const held = std::get_if<Value::List>(&ours.held);
      const auto& list = theirs.list_value().values();
      if (held == nullptr || held->size() != static_cast<std::size_t>(list.size())) return false;
      for (int i = 0; i < list.size(); ++i) {
        if (!Same(list[i], (*held)[static_cast<std::size_t>(i)])) return false;
      }
      return true;
    }
  }
  return false;
}

bool Same(const google::protobuf::Struct& theirs, const Value::Struct& ours) {
  if (ours.size() != theirs.fields().size()) return false;
  for (const auto& [key, value] : ours) {
    const auto found = theirs.fields().find(key);
    if (found == theirs.fields().end() || !Same(found->second, value)) return false;
  }
  return true;
}

Unit OverrideUnit(int number) {
  // By number, as the reference service casts it: the override's enum ends before the week.
  return number >= 0 && number <= 7 ? static_cast<Unit>(number) : Unit::kUnknown;
}

void Compare(const WireDescriptor& theirs, const Descriptor& ours, Mismatch& mismatch) {
  mismatch.Unless("entries", static_cast<std::size_t>(theirs.entries_size()), ours.entries.size());
  if (!mismatch.text().empty()) return;
  for (int i = 0; i < theirs.entries_size(); ++i) {
    const Entry& entry = ours.entries[static_cast<std::size_t>(i)];
    mismatch.Unless("entry key", theirs.entries(i).key(), entry.key);
    mismatch.Unless("entry value", theirs.entries(i).value(), entry.value);
  }
  mismatch.Unless("limit", theirs.has_limit(), ours.limit.has_value());
  if (theirs.has_limit() && ours.limit) {
    mismatch.Unless("limit requests", theirs.limit().requests_per_unit(),
                    ours.limit->requests_per_unit);
    mismatch.Unless("limit unit", OverrideUnit(theirs.limit().unit()), ours.limit->unit);
  }
  mismatch.Unless("hits_addend", theirs.has_hits_addend(), ours.cost.has_value());
  if (ours.cost) mismatch.Unless("hits_addend value", theirs.hits_addend().value(), *ours.cost);
  mismatch.Unless("is_negative_hits", theirs.is_negative_hits(), ours.refund);
}

Code CodeOf(int number) {
  return number >= 0 && number <= 2 ? static_cast<Code>(number) : Code::kUnknown;
}

void Compare(const WireHeaders& theirs, const std::vector<ReceivedHeader>& ours,
             Mismatch& mismatch) {
  mismatch.Unless("headers", static_cast<std::size_t>(theirs.size()), ours.size());
  if (!mismatch.text().empty()) return;
  for (int i = 0; i < theirs.size(); ++i) {
    const ReceivedHeader& header = ours[static_cast<std::size_t>(i)];
    mismatch.Unless("header key", theirs[i].key(), header.key);
    mismatch.Unless("header value",
                    theirs[i].value().empty() ? theirs[i].raw_value() : theirs[i].value(),
                    header.value);
  }
}

bool SameDuration(const google::protobuf::Duration& theirs, Duration ours) {
  constexpr std::int64_t kMostSeconds = 9'000'000'000;
  if (theirs.seconds() > kMostSeconds || theirs.seconds() < -kMostSeconds) return true;
  return std::chrono::seconds(theirs.seconds()) + Duration(theirs.nanos()) == ours;
}

// Whether protobuf kept anything that no message defines.
template <typename Message>
bool HasUnknownFields(const Message& message) {
  Message known(message);
  known.DiscardUnknownFields();
  return known.ByteSizeLong() != message.ByteSizeLong();
}

// A message without one of its fields, and without one of that field's in the messages of another.
std::string Without(protozero::pbf_reader message, Field field, Field nested_in, Field nested) {
  std::string kept;
  for (const char* start = message.data().data(); message.next(); start = message.data().data()) {
    const Field tag = message.tag();
    const bool is_message = message.wire_type() == protozero::pbf_wire_type::length_delimited;
    if (tag == nested_in && is_message) {
      const std::string inner = Without(message.get_message(), nested, 0, 0);
      WireWriter(kept).Bytes(tag, inner);
      continue;
    }
    message.skip();
    if (tag != field || !is_message) kept.append(start, message.data().data());
  }
  return kept;
}

// Nobody reads quotas, so what is inside one is not looked at; protobuf checks that too.
std::string WithoutQuotas(std::span<const std::uint8_t> response) {
  constexpr Field kQuota = 7;
  constexpr Field kStatusQuota = 5;
  return Without(wire::Message(response), kQuota, response_field::kStatuses, kStatusQuota);
}

}  // namespace

std::span<const std::uint8_t> BytesOf(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string Difference(const WireRequest& theirs, const DecodedRequest& ours) {
  Mismatch mismatch;
  const Request& request = ours.request;
  mismatch.Unless("domain", theirs.domain(), request.domain);
  mismatch.Unless("request hits_addend", theirs.hits_addend() == 0 ? 1U : theirs.hits_addend(),
                  request.cost);
  mismatch.Unless("hits_addend given", theirs.hits_addend() != 0, request.cost_given);
  mismatch.Unless("descriptors", static_cast<std::size_t>(theirs.descriptors_size()),
                  request.descriptors.size());
  if (!mismatch.text().empty()) return mismatch.text();
  for (int i = 0; i < theirs.descriptors_size(); ++i) {
    Compare(theirs.descriptors(i), request.descriptors[static_cast<std::size_t>(i)], mismatch);
  }
  return mismatch.text();
}

std::string Difference(const WireResponse& theirs, const ReceivedResponse& ours) {
  Mismatch mismatch;
  mismatch.Unless("overall_code", CodeOf(theirs.overall_code()), ours.code);
  mismatch.Unless("statuses", static_cast<std::size_t>(theirs.statuses_size()),
                  ours.statuses.size());
  if (!mismatch.text().empty()) return mismatch.text();
  for (int i = 0; i < theirs.statuses_size(); ++i) {
    const auto& status = theirs.statuses(i);
    const ReceivedStatus& read = ours.statuses[static_cast<std::size_t>(i)];
    mismatch.Unless("code", CodeOf(status.code()), read.code);
    mismatch.Unless("current_limit", status.has_current_limit(), read.has_limit);
    mismatch.Unless("requests", status.current_limit().requests_per_unit(), read.requests_per_unit);
    const int unit = status.current_limit().unit();
    mismatch.Unless("unit", unit < 0 ? Unit::kUnknown : UnitFromWire(static_cast<unsigned>(unit)),
                    read.unit);
    mismatch.Unless("name", status.current_limit().name(), read.name);
    mismatch.Unless("limit_remaining", status.limit_remaining(), read.remaining);
    if (!SameDuration(status.duration_until_reset(), read.reset)) mismatch.Because("reset");
  }
  Compare(theirs.response_headers_to_add(), ours.response_headers, mismatch);
  Compare(theirs.request_headers_to_add(), ours.request_headers, mismatch);
  mismatch.Unless("raw_body", theirs.raw_body(), ours.raw_body);
  mismatch.Unless("dynamic_metadata", theirs.has_dynamic_metadata(), ours.metadata.has_value());
  if (ours.metadata && !Same(theirs.dynamic_metadata(), *ours.metadata)) {
    mismatch.Because("metadata values");
  }
  return mismatch.text();
}

std::string Difference(const WireResponse& theirs, const RateLimitResponse& ours) {
  ReceivedResponse expected;
  expected.code = ours.over ? Code::kOverLimit : Code::kOk;
  for (const ResponseStatus& status : ours.statuses) {
    ReceivedStatus& one = expected.statuses.emplace_back();
    one.code = status.over ? Code::kOverLimit : Code::kOk;
    one.has_limit = status.has_limit;
    one.remaining = status.remaining;
    if (!status.has_limit) continue;
    one.requests_per_unit = status.requests_per_unit;
    one.unit = status.unit;
    one.name = status.name;
    one.reset = std::max(status.reset, Duration::zero());
  }
  for (const HeaderLine& line : ours.headers) {
    expected.response_headers.push_back({line.name, line.value});
  }
  expected.raw_body = ours.raw_body;
  if (ours.metadata != nullptr) expected.metadata = *ours.metadata;
  return Difference(theirs, expected);
}

std::string CompareRequest(std::span<const std::uint8_t> bytes) {
  WireRequest theirs;
  const bool accepted = theirs.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  DecodedRequest ours;
  if (DecodeRequest(bytes, ours)) {
    return accepted ? Difference(theirs, ours) : "we accept what protobuf refuses";
  }
  if (!ours.entries.empty() || !ours.descriptors.empty()) return "a refusal leaves something";
  return accepted && !HasUnknownFields(theirs) ? "we refuse what protobuf accepts" : "";
}

std::string CompareResponse(std::span<const std::uint8_t> bytes) {
  WireResponse theirs;
  bool accepted = theirs.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  ReceivedResponse ours;
  switch (DecodeResponse(bytes, ours)) {
    case Decoding::kOk:
      if (!accepted) accepted = theirs.ParseFromString(WithoutQuotas(bytes));
      return accepted ? Difference(theirs, ours) : "we accept what protobuf refuses";
    case Decoding::kTooMany:
      return {};
    case Decoding::kUnsupported:
      return accepted && !HasUnknownFields(theirs) ? "we refuse what protobuf accepts" : "";
    default:
      return accepted ? "we refuse what protobuf accepts" : "";
  }
}

}  // namespace weir::rls
