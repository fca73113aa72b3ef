#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <protozero/pbf_reader.hpp>

#include "rls/wire_fields.h"
#include "weir/base/utf8.h"

namespace weir::rls {

// How the reading of a message went.
enum class [[nodiscard]] Decoding : std::uint8_t{
    kOk,
    kMalformed,    // Not protobuf: cut off, a varint without end, a tag of more than 32 bits.
    kInvalidUtf8,  // A string field holds something else; proto3 refuses that.
    kUnsupported,  // A group or a reserved field number, which no known client sends.
    kTooMany,      // Above one of the bounds of this decoder.
};

// A sentence for the status message; empty for kOk.
std::string_view TextOf(Decoding decoding);

namespace wire {

// Leaves a decoder through protozero's own way of reporting errors; never leaves a Decode().
struct Refused {
  Decoding why;
};

// Whether a tag of more than five bytes comes next.
inline bool TagIsOverlong(protozero::data_view rest) {
  if (rest.size() <= 5) return false;
  for (std::size_t i = 0; i < 5; ++i) {
    if ((static_cast<unsigned char>(rest.data()[i]) & 0x80U) == 0) return false;
  }
  return true;
}

// The next field.  protozero takes tags of any length and drops the bits above 32; protobuf itself
// refuses more than five bytes.
inline bool Next(protozero::pbf_reader& message) {
  const protozero::data_view rest = message.data();
  if (rest.empty()) return false;
  // Known fields have tags of one byte.
  if ((static_cast<unsigned char>(*rest.data()) & 0x80U) != 0 && TagIsOverlong(rest)) {
    throw Refused{Decoding::kMalformed};
  }
  return message.next();
}

// One number for a field and the way it is written: a known field in another wire type is skipped
// like an unknown one.
constexpr std::uint32_t AsVarint(Field field) {
  return protozero::tag_and_type(field, protozero::pbf_wire_type::varint);
}
constexpr std::uint32_t AsBytes(Field field) {
  return protozero::tag_and_type(field, protozero::pbf_wire_type::length_delimited);
}
constexpr std::uint32_t AsFixed64(Field field) {
  return protozero::tag_and_type(field, protozero::pbf_wire_type::fixed64);
}

// A string field.
inline std::string_view Text(protozero::pbf_reader& message) {
  const protozero::data_view view = message.get_view();
  const std::string_view text(view.data(), view.size());
  if (!IsUtf8(text)) throw Refused{Decoding::kInvalidUtf8};
  return text;
}

inline std::string_view Bytes(protozero::pbf_reader& message) {
  const protozero::data_view view = message.get_view();
  return {view.data(), view.size()};
}

inline protozero::pbf_reader Message(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// An enum field: int32 on the wire, so what does not fit is cut to 32 bits.
inline std::uint32_t Enum(protozero::pbf_reader& message) {
  return static_cast<std::uint32_t>(message.get_uint64());
}

// Runs `read`, which may throw as protozero does, and says how it went.
template <typename Read>
Decoding Guarded(Read read) {
  try {
    read();
    return Decoding::kOk;
  } catch (const Refused& refused) {
    return refused.why;
  } catch (const protozero::invalid_tag_exception&) {
    return Decoding::kUnsupported;
  } catch (const protozero::unknown_pbf_wire_type_exception&) {
    return Decoding::kUnsupported;
  } catch (const protozero::exception&) {
    return Decoding::kMalformed;
  }
}

}  // namespace wire
}  // namespace weir::rls
