#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace weir::rls {

// Protobuf's wire format, appended to a text in one pass.  The length of a message is not known
// when it is opened: one byte is left for it, and the few messages that need more are moved up.
// (protozero's writer drops messages without content, whose presence means something here: an
// empty hits_addend is zero, an empty list is not null.)
class WireWriter {
 public:
  // `out` must outlive the writer.
  explicit WireWriter(std::string& out) : out_(&out) {}

  // A varint field, also when it is zero.
  void Varint(std::uint32_t field, std::uint64_t value) {
    Put(field << 3U);
    Put(value);
  }
  // Leaves out zero, as proto3 does for fields without presence.
  void Number(std::uint32_t field, std::uint64_t value) {
    if (value != 0) Varint(field, value);
  }

  // A string or bytes field, also when it is empty.
  void Bytes(std::uint32_t field, std::string_view bytes) {
    Put(field << 3U | 2U);
    Put(bytes.size());
    out_->append(bytes);
  }
  // Leaves out the empty text.
  void Text(std::uint32_t field, std::string_view text) {
    if (!text.empty()) Bytes(field, text);
  }

  void Double(std::uint32_t field, double value) {
    std::uint64_t bits = 0;
    static_assert(sizeof(bits) == sizeof(value));
    std::memcpy(&bits, &value, sizeof(bits));
    Put(field << 3U | 1U);
    for (unsigned i = 0; i < 64; i += 8) out_->push_back(static_cast<char>(bits >> i));
  }

  // Begins a message field; what is written until Close() is its content.  Messages nest.
  std::size_t Open(std::uint32_t field) {
    Put(field << 3U | 2U);
    out_->push_back('\0');
    return out_->size();
  }
  // `start` is what Open() returned.
  void Close(std::size_t start) {
    std::size_t length = out_->size() - start;
    if (length < 0x80) {
      (*out_)[start - 1] = static_cast<char>(length);
      return;
    }
    char digits[10];
    std::size_t size = 0;
    for (; length >= 0x80; length >>= 7U) digits[size++] = static_cast<char>(length | 0x80U);
    digits[size++] = static_cast<char>(length);
    out_->replace(start - 1, 1, digits, size);
  }

 private:
  void Put(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) out_->push_back(static_cast<char>(value | 0x80U));
    out_->push_back(static_cast<char>(value));
  }

  std::string* out_;
};

}  // namespace weir::rls
