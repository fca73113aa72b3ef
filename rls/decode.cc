#include "rls/decode.h"

#include <protozero/pbf_reader.hpp>

#include "rls/wire_reader.h"

namespace weir::rls {
namespace {

using protozero::pbf_reader;

void ReadEntry(pbf_reader message, Entry& entry) {
  while (wire::Next(message)) {
    switch (message.tag_and_type()) {
      case wire::AsBytes(entry_field::kKey):
        entry.key = wire::Text(message);
        break;
      case wire::AsBytes(entry_field::kValue):
        entry.value = wire::Text(message);
        break;
      default:
        message.skip();
    }
  }
}

void ReadLimit(pbf_reader message, LimitOverride& limit) {
  while (wire::Next(message)) {
    switch (message.tag_and_type()) {
      case wire::AsVarint(limit_field::kRequestsPerUnit):
        limit.requests_per_unit = message.get_uint32();
        break;
      case wire::AsVarint(limit_field::kUnit):
        // An open enum: the week has no name in it, but callers send its number.
        limit.unit = UnitFromWire(wire::Enum(message));
        break;
      default:
        message.skip();
    }
  }
}

// `value` is kept where the message leaves it out: a repeated wrapper is merged, not replaced.
void ReadWrapped(pbf_reader message, std::uint64_t& value) {
  while (wire::Next(message)) {
    if (message.tag_and_type() == wire::AsVarint(wrapper_field::kValue)) {
      value = message.get_uint64();
    } else {
      message.skip();
    }
  }
}

void ReadDescriptor(pbf_reader message, std::vector<Entry>& entries, Descriptor& descriptor) {
  while (wire::Next(message)) {
    switch (message.tag_and_type()) {
      case wire::AsBytes(descriptor_field::kEntries):
        if (entries.size() == kMostEntries) throw wire::Refused{Decoding::kTooMany};
        ReadEntry(message.get_message(), entries.emplace_back());
        break;
      case wire::AsBytes(descriptor_field::kLimit):
        if (!descriptor.limit) descriptor.limit.emplace();
        ReadLimit(message.get_message(), *descriptor.limit);
        break;
      case wire::AsBytes(descriptor_field::kHitsAddend):
        if (!descriptor.cost) descriptor.cost = 0;
        ReadWrapped(message.get_message(), *descriptor.cost);
        break;
      case wire::AsVarint(descriptor_field::kIsNegativeHits):
        // Not get_bool(), which looks at the first byte of an overlong zero only.
        descriptor.refund = message.get_uint64() != 0;
        break;
      default:
        message.skip();
    }
  }
}

void Read(pbf_reader message, DecodedRequest& out) {
  std::uint32_t hits = 0;
  while (wire::Next(message)) {
    switch (message.tag_and_type()) {
      case wire::AsBytes(request_field::kDomain):
        out.request.domain = wire::Text(message);
        break;
      case wire::AsBytes(request_field::kDescriptors): {
        if (out.descriptors.size() == kMostDescriptors) throw wire::Refused{Decoding::kTooMany};
        const std::size_t first = out.entries.size();
        Descriptor& descriptor = out.descriptors.emplace_back();
        ReadDescriptor(message.get_message(), out.entries, descriptor);
        // Only the length is good for now: `entries` may still move.
        descriptor.entries = std::span<const Entry>(out.entries).subspan(first);
        break;
      }
      case wire::AsVarint(request_field::kHitsAddend):
        hits = message.get_uint32();
        break;
      default:
        message.skip();
    }
  }
  std::size_t at = 0;
  for (Descriptor& descriptor : out.descriptors) {
    const std::size_t count = descriptor.entries.size();
    descriptor.entries = std::span<const Entry>(out.entries).subspan(at, count);
    at += count;
  }
  out.request.cost_given = hits != 0;
  out.request.cost = hits == 0 ? 1 : hits;
  out.request.descriptors = out.descriptors;
}

void Clear(DecodedRequest& out) {
  out.request = {};
  out.entries.clear();
  out.descriptors.clear();
}

}  // namespace

bool DecodeRequest(std::span<const std::uint8_t> bytes, DecodedRequest& out) {
  Clear(out);
  if (wire::Guarded([&] { Read(wire::Message(bytes), out); }) == Decoding::kOk) return true;
  Clear(out);
  return false;
}

}  // namespace weir::rls
