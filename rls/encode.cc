#include "rls/encode.h"

#include <bit>
#include <cassert>
#include <cstring>

#include "rls/wire_fields.h"
#include "rls/wire_writer.h"

namespace weir::rls {
namespace {

// Wire numbers of RateLimitResponse.Code.
constexpr std::uint8_t kOk = 1;
constexpr std::uint8_t kOverLimit = 2;

// Lengths are known before bytes are written, so that a message needs no second pass over them.
constexpr std::size_t VarintSize(std::uint64_t n) {
  return (static_cast<std::size_t>(std::bit_width(n | 1)) + 6) / 7;
}
constexpr std::size_t VarintFieldSize(std::uint64_t n) {
  return n == 0 ? 0 : 1 + VarintSize(n);
}
constexpr std::size_t MessageSize(std::size_t n) {
  return 1 + VarintSize(n) + n;
}
constexpr std::size_t BytesFieldSize(std::size_t n) {
  return n == 0 ? 0 : MessageSize(n);
}

// Writes into memory that is known to be large enough.
class Out {
 public:
  explicit Out(char* at) : at_(at) {}

  void Varint(std::uint64_t n) {
    for (; n >= 0x80; n >>= 7U) *at_++ = static_cast<char>(n | 0x80U);
    *at_++ = static_cast<char>(n);
  }
  // Fields 1 to 15 only, whose tags take one byte.
  void VarintField(std::uint32_t field, std::uint64_t n) {
    if (n == 0) return;
    *at_++ = static_cast<char>(field << 3U);
    Varint(n);
  }
  void Begin(std::uint32_t field, std::size_t size) {
    *at_++ = static_cast<char>(field << 3U | 2U);
    Varint(size);
  }
  void BytesField(std::uint32_t field, std::string_view bytes) {
    if (bytes.empty()) return;
    Begin(field, bytes.size());
    std::memcpy(at_, bytes.data(), bytes.size());
    at_ += bytes.size();
  }

  const char* at() const { return at_; }

 private:
  char* at_;
};

std::size_t LimitSize(const ResponseStatus& s) {
  return VarintFieldSize(s.requests_per_unit) +
         VarintFieldSize(static_cast<std::uint64_t>(s.unit)) + BytesFieldSize(s.name.size());
}

struct Seconds {
  std::uint64_t seconds = 0;
  std::uint64_t nanos = 0;

  explicit Seconds(Duration d) {
    constexpr std::int64_t kNanos = 1'000'000'000;
    if (d < Duration{}) return;
    seconds = static_cast<std::uint64_t>(d.count() / kNanos);
    nanos = static_cast<std::uint64_t>(d.count() % kNanos);
  }
  std::size_t size() const { return VarintFieldSize(seconds) + VarintFieldSize(nanos); }
};

void PutStatus(const ResponseStatus& s, Out& out) {
  const std::size_t limit = s.has_limit ? LimitSize(s) : 0;
  const Seconds reset(s.has_limit ? s.reset : Duration{});
  const std::size_t reset_size = reset.size();
  std::size_t size = 2 + VarintFieldSize(s.remaining);  // The code is never 0.
  if (s.has_limit) size += MessageSize(limit) + MessageSize(reset_size);
  out.Begin(2, size);
  out.VarintField(1, s.over ? kOverLimit : kOk);
  if (s.has_limit) {
    out.Begin(2, limit);
    out.VarintField(1, s.requests_per_unit);
    out.VarintField(2, static_cast<std::uint64_t>(s.unit));
    out.BytesField(3, s.name);
  }
  out.VarintField(3, s.remaining);
  if (s.has_limit) {
    out.Begin(4, reset_size);
    out.VarintField(1, reset.seconds);
    out.VarintField(2, reset.nanos);
  }
}

// At least what a status, or a header, takes on the wire, its own tag and length included.
constexpr std::size_t kMostNumber = 11;
std::size_t Most(const ResponseStatus& s) {
  return 8 * kMostNumber + s.name.size();
}
std::size_t Most(const HeaderLine& header) {
  return 3 * kMostNumber + header.name.size() + header.value.size();
}

std::size_t HeaderSize(const HeaderLine& header) {
  return BytesFieldSize(header.name.size()) + BytesFieldSize(header.value.size());
}

void PutHeader(const HeaderLine& header, Out& out) {
  out.Begin(3, HeaderSize(header));
  out.BytesField(1, header.name);
  out.BytesField(2, header.value);
}

// An upper bound of everything but the metadata: cheaper than the exact size.
std::size_t Most(const RateLimitResponse& response) {
  std::size_t size = 2 * kMostNumber + response.raw_body.size();
  for (const ResponseStatus& status : response.statuses) size += Most(status);
  for (const HeaderLine& header : response.headers) size += Most(header);
  return size;
}

void PutStruct(const Value::Struct& fields, WireWriter& out);

void PutValue(const Value& value, WireWriter& out) {
  if (value.is_null()) out.Varint(value_field::kNull, 0);
  if (const auto* number = std::get_if<double>(&value.held)) {
    out.Double(value_field::kNumber, *number);
  }
  if (const auto* text = std::get_if<std::string>(&value.held)) {
    out.Bytes(value_field::kString, *text);
  }
  if (const auto* truth = std::get_if<bool>(&value.held)) {
    out.Varint(value_field::kBool, *truth ? 1 : 0);
  }
  if (const Value::Struct* fields = value.as_struct()) {
    const std::size_t start = out.Open(value_field::kStruct);
    PutStruct(*fields, out);
    out.Close(start);
  }
  if (const auto* list = std::get_if<Value::List>(&value.held)) {
    const std::size_t start = out.Open(value_field::kList);
    for (const Value& item : *list) {
      const std::size_t element = out.Open(value_field::kListValues);
      PutValue(item, out);
      out.Close(element);
    }
    out.Close(start);
  }
}

void PutStruct(const Value::Struct& fields, WireWriter& out) {
  for (const auto& [name, value] : fields) {
    const std::size_t entry = out.Open(struct_field::kFields);
    out.Text(struct_field::kEntryKey, name);
    const std::size_t held = out.Open(struct_field::kEntryValue);
    PutValue(value, out);
    out.Close(held);
    out.Close(entry);
  }
}

}  // namespace

void EncodeResponse(const RateLimitResponse& response, std::string& out) {
  out.resize(Most(response));
  Out to(out.data());
  to.VarintField(1, response.over ? kOverLimit : kOk);
  for (const ResponseStatus& status : response.statuses) PutStatus(status, to);
  for (const HeaderLine& header : response.headers) PutHeader(header, to);
  to.BytesField(5, response.raw_body);
  assert(to.at() <= out.data() + out.size());
  out.resize(static_cast<std::size_t>(to.at() - out.data()));
  if (response.metadata == nullptr) return;
  WireWriter writer(out);
  const std::size_t start = writer.Open(response_field::kDynamicMetadata);
  PutStruct(*response.metadata, writer);
  writer.Close(start);
}

}  // namespace weir::rls
