#include "rls/decode.h"

#include <protozero/pbf_reader.hpp>

#include "weir/answer/utf8.h"

namespace weir::rls {
namespace {

using protozero::pbf_reader;
using protozero::tag_and_type;

std::string_view View(const protozero::data_view& data) {
  return {data.data(), data.size()};
}

bool ReadText(pbf_reader& reader, std::string_view& out) {
  if (reader.wire_type() != protozero::pbf_wire_type::length_delimited) return false;
  out = View(reader.get_view());
  return IsUtf8(out);
}

bool ReadEntry(pbf_reader reader, Entry& entry) {
  while (reader.next()) {
    switch (reader.tag()) {
      case 1:
        if (!ReadText(reader, entry.key)) return false;
        break;
      case 2:
        if (!ReadText(reader, entry.value)) return false;
        break;
      default:
        reader.skip();
    }
  }
  return true;
}

void ReadLimit(pbf_reader reader, LimitOverride& limit) {
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, protozero::pbf_wire_type::varint):
        limit.requests_per_unit = reader.get_uint32();
        break;
      case tag_and_type(2, protozero::pbf_wire_type::varint): {
        // envoy.type.v3.RateLimitUnit has no week, whose number means nothing here.
        const Unit unit = UnitFromWire(static_cast<std::uint64_t>(reader.get_enum()));
        limit.unit = unit == Unit::kWeek ? Unit::kUnknown : unit;
        break;
      }
      default:
        reader.skip();
    }
  }
}

std::uint64_t ReadUInt64Value(pbf_reader reader) {
  std::uint64_t value = 0;
  while (reader.next()) {
    if (reader.tag_and_type() == tag_and_type(1, protozero::pbf_wire_type::varint)) {
      value = reader.get_uint64();
    } else {
      reader.skip();
    }
  }
  return value;
}

bool ReadDescriptor(pbf_reader reader, std::vector<Entry>& entries, Descriptor& descriptor) {
  using protozero::pbf_wire_type;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::length_delimited):
        if (!ReadEntry(reader.get_message(), entries.emplace_back())) return false;
        break;
      case tag_and_type(2, pbf_wire_type::length_delimited):
        if (!descriptor.limit) descriptor.limit.emplace();
        ReadLimit(reader.get_message(), *descriptor.limit);
        break;
      case tag_and_type(3, pbf_wire_type::length_delimited):
        descriptor.cost = ReadUInt64Value(reader.get_message());
        break;
      case tag_and_type(4, pbf_wire_type::varint):
        descriptor.refund = reader.get_bool();
        break;
      default:
        reader.skip();
    }
  }
  return true;
}

bool Read(std::span<const std::uint8_t> bytes, DecodedRequest& out) {
  using protozero::pbf_wire_type;
  pbf_reader reader(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::uint32_t hits = 0;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::length_delimited):
        if (!ReadText(reader, out.request.domain)) return false;
        break;
      case tag_and_type(2, pbf_wire_type::length_delimited): {
        const std::size_t first = out.entries.size();
        Descriptor& descriptor = out.descriptors.emplace_back();
        if (!ReadDescriptor(reader.get_message(), out.entries, descriptor)) return false;
        // Only the length is good for now: `entries` may still move.
        descriptor.entries = std::span<const Entry>(out.entries).subspan(first);
        break;
      }
      case tag_and_type(3, pbf_wire_type::varint):
        hits = reader.get_uint32();
        break;
      default:
        reader.skip();
    }
  }
  std::size_t at = 0;
  for (Descriptor& descriptor : out.descriptors) {
    const std::size_t count = descriptor.entries.size();
    descriptor.entries = std::span<const Entry>(out.entries).subspan(at, count);
    at += count;
  }
  out.has_hits_addend = hits != 0;
  out.request.cost = hits == 0 ? 1 : hits;
  out.request.descriptors = out.descriptors;
  return true;
}

}  // namespace

bool DecodeRequest(std::span<const std::uint8_t> bytes, DecodedRequest& out) {
  out.request = {};
  out.entries.clear();
  out.descriptors.clear();
  out.has_hits_addend = false;
  try {
    return Read(bytes, out);
  } catch (const protozero::exception&) {
    return false;
  }
}

}  // namespace weir::rls
