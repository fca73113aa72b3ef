#include "rls/client_codec.h"

#include <limits>

#include "rls/struct_reader.h"
#include "rls/wire_writer.h"

namespace weir::rls {
namespace {

constexpr std::uint64_t kLargestCost = std::numeric_limits<std::uint32_t>::max();

void WriteDescriptor(const Descriptor& descriptor, std::optional<std::uint64_t> cost,
                     WireWriter& out) {
  const std::size_t start = out.Open(request_field::kDescriptors);
  for (const Entry& entry : descriptor.entries) {
    const std::size_t inner = out.Open(descriptor_field::kEntries);
    out.Text(entry_field::kKey, entry.key);
    out.Text(entry_field::kValue, entry.value);
    out.Close(inner);
  }
  if (descriptor.limit) {
    const std::size_t inner = out.Open(descriptor_field::kLimit);
    out.Number(limit_field::kRequestsPerUnit, descriptor.limit->requests_per_unit);
    out.Number(limit_field::kUnit, static_cast<std::uint64_t>(descriptor.limit->unit));
    out.Close(inner);
  }
  if (cost) {
    const std::size_t inner = out.Open(descriptor_field::kHitsAddend);
    out.Number(wrapper_field::kValue, *cost);
    out.Close(inner);
  }
  out.Number(descriptor_field::kIsNegativeHits, descriptor.refund ? 1 : 0);
  out.Close(start);
}

Code CodeFromWire(std::uint32_t number) {
  return number <= 2 ? static_cast<Code>(number) : Code::kUnknown;
}

// google.protobuf.Duration's fields, kept apart until the message ends: they may come in any order.
struct WireDuration {
  std::int64_t seconds = 0;
  std::int32_t nanos = 0;

  Duration Saturated() const {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 1'000'000'000 - 3;
    if (seconds > kMost) return Duration::max();
    if (seconds < -kMost) return Duration::min();
    return std::chrono::seconds(seconds) + Duration(nanos);
  }
};

void ReadDuration(protozero::pbf_reader message, WireDuration& duration) {
  while (wire::Next(message)) {
    switch (message.tag_and_type()) {
      case wire::AsVarint(duration_field::kSeconds):
        duration.seconds = message.get_int64();
        break;
      case wire::AsVarint(duration_field::kNanos):
        duration.nanos = message.get_int32();
        break;
      default:
        message.skip();
    }
  }
}

void ReadLimit(protozero::pbf_reader message, ReceivedStatus& status) {
  while (wire::Next(message)) {
    switch (message.tag_and_type()) {
      case wire::AsVarint(limit_field::kRequestsPerUnit):
        status.requests_per_unit = message.get_uint32();
        break;
      case wire::AsVarint(limit_field::kUnit):
        status.unit = UnitFromWire(wire::Enum(message));
        break;
      case wire::AsBytes(limit_field::kName):
        status.name = wire::Text(message);
        break;
      default:
        message.skip();
    }
  }
}

void ReadStatus(protozero::pbf_reader message, ReceivedStatus& status) {
  WireDuration reset;
  while (wire::Next(message)) {
    switch (message.tag_and_type()) {
      case wire::AsVarint(status_field::kCode):
        status.code = CodeFromWire(wire::Enum(message));
        break;
      case wire::AsBytes(status_field::kCurrentLimit):
        status.has_limit = true;
        ReadLimit(message.get_message(), status);
        break;
      case wire::AsVarint(status_field::kLimitRemaining):
        status.remaining = message.get_uint32();
        break;
      case wire::AsBytes(status_field::kDurationUntilReset):
        ReadDuration(message.get_message(), reset);
        break;
      default:
        message.skip();
    }
  }
  status.reset = reset.Saturated();
}

void ReadHeader(protozero::pbf_reader message, std::vector<ReceivedHeader>& headers) {
  if (headers.size() == kMostReceivedHeaders) throw wire::Refused{Decoding::kTooMany};
  ReceivedHeader& header = headers.emplace_back();
  std::string_view raw;
  while (wire::Next(message)) {
    switch (message.tag_and_type()) {
      case wire::AsBytes(header_field::kKey):
        header.key = wire::Text(message);
        break;
      case wire::AsBytes(header_field::kValue):
        header.value = wire::Text(message);
        break;
      case wire::AsBytes(header_field::kRawValue):
        raw = wire::Bytes(message);
        break;
      default:
        message.skip();
    }
  }
  if (header.value.empty()) header.value = raw;
}

void ReadResponse(protozero::pbf_reader message, ReceivedResponse& out) {
  while (wire::Next(message)) {
    switch (message.tag_and_type()) {
      case wire::AsVarint(response_field::kOverallCode):
        out.code = CodeFromWire(wire::Enum(message));
        break;
      case wire::AsBytes(response_field::kStatuses):
        if (out.statuses.size() == kMostReceivedStatuses) {
          throw wire::Refused{Decoding::kTooMany};
        }
        ReadStatus(message.get_message(), out.statuses.emplace_back());
        break;
      case wire::AsBytes(response_field::kResponseHeaders):
        ReadHeader(message.get_message(), out.response_headers);
        break;
      case wire::AsBytes(response_field::kRequestHeaders):
        ReadHeader(message.get_message(), out.request_headers);
        break;
      case wire::AsBytes(response_field::kRawBody):
        out.raw_body = wire::Bytes(message);
        break;
      case wire::AsBytes(response_field::kDynamicMetadata):
        if (!out.metadata) out.metadata.emplace();
        ReadStruct(message.get_message(), *out.metadata);
        break;
      default:
        message.skip();
    }
  }
}

}  // namespace

void EncodeRequest(const Request& request, std::string& out) {
  out.clear();
  WireWriter writer(out);
  const bool sayable = request.cost > 0 && request.cost <= kLargestCost;
  writer.Text(request_field::kDomain, request.domain);
  for (const Descriptor& descriptor : request.descriptors) {
    const bool inherits = !descriptor.cost && !sayable;
    WriteDescriptor(descriptor, inherits ? request.cost : descriptor.cost, writer);
  }
  if (sayable && request.cost != 1) writer.Number(request_field::kHitsAddend, request.cost);
}

void ReceivedResponse::Clear() {
  code = Code::kUnknown;
  statuses.clear();
  response_headers.clear();
  request_headers.clear();
  raw_body = {};
  metadata.reset();
}

Decoding DecodeResponse(std::span<const std::uint8_t> message, ReceivedResponse& out) {
  out.Clear();
  const Decoding decoding = wire::Guarded([&] { ReadResponse(wire::Message(message), out); });
  if (decoding != Decoding::kOk) out.Clear();
  return decoding;
}

}  // namespace weir::rls
