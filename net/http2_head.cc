#include "net/http2_head.h"

#include <array>
#include <charconv>
#include <cstring>

namespace weir::net {

namespace {

// Lower-case token characters (RFC 9110 section 5.6.2).
constexpr std::array<bool, 256> kNameBytes = [] {
  std::array<bool, 256> table{};
  for (const char c : std::string_view("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz")) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}();

bool IsFieldName(std::string_view name) {
  if (name.empty()) return false;
  for (const char c : name) {
    if (!kNameBytes[static_cast<unsigned char>(c)]) return false;
  }
  return true;
}

std::uint64_t WordAt(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

constexpr std::uint64_t kOnes = 0x0101010101010101U;

// Whether any byte of the word is zero.
constexpr bool HasZero(std::uint64_t word) {
  return ((word - kOnes) & ~word & (kOnes * 0x80)) != 0;
}

// Whether any byte of the word is below this, which is at most 0x80.
constexpr bool HasLess(std::uint64_t word, std::uint64_t bound) {
  return ((word - kOnes * bound) & ~word & (kOnes * 0x80)) != 0;
}

// Whether any byte of the word is NUL, LF or CR.  Nearly always the first test says no.
constexpr bool HasForbidden(std::uint64_t word) {
  if (!HasLess(word, '\r' + 1)) return false;
  return HasZero(word) || HasZero(word ^ (kOnes * '\n')) || HasZero(word ^ (kOnes * '\r'));
}

FieldName Pick(std::string_view name, std::string_view known, FieldName field) {
  return name == known ? field : FieldName::kOther;
}

FieldName PseudoOf(std::string_view name) {
  if (name == ":path") return FieldName::kPath;
  if (name == ":method") return FieldName::kMethod;
  if (name == ":scheme") return FieldName::kScheme;
  if (name == ":authority") return FieldName::kAuthority;
  return FieldName::kUnknownPseudo;
}

}  // namespace

FieldName FieldNameOf(std::string_view name) {
  if (!name.empty() && name.front() == ':') return PseudoOf(name);
  switch (name.size()) {
    case 2:
      return Pick(name, "te", FieldName::kTe);
    case 4:
      return Pick(name, "host", FieldName::kHost);
    case 7:
      return Pick(name, "upgrade", FieldName::kConnectionSpecific);
    case 10:
      if (name == "user-agent") return FieldName::kUserAgent;
      if (name == "connection" || name == "keep-alive") return FieldName::kConnectionSpecific;
      return FieldName::kOther;
    case 11:
      return Pick(name, "traceparent", FieldName::kTraceparent);
    case 12:
      if (name == "content-type") return FieldName::kContentType;
      if (name == "grpc-timeout") return FieldName::kGrpcTimeout;
      return Pick(name, "x-request-id", FieldName::kXRequestId);
    case 13:
      return Pick(name, "grpc-encoding", FieldName::kGrpcEncoding);
    case 14:
      return Pick(name, "content-length", FieldName::kContentLength);
    case 16:
      return Pick(name, "proxy-connection", FieldName::kConnectionSpecific);
    case 17:
      return Pick(name, "transfer-encoding", FieldName::kConnectionSpecific);
    default:
      return FieldName::kOther;
  }
}

bool IsFieldValue(std::string_view value) {
  if (value.empty()) return true;
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  if (is_blank(value.front()) || is_blank(value.back())) return false;
  if (value.size() < 8) {
    for (const char c : value) {
      if (c == '\0' || c == '\n' || c == '\r') return false;
    }
    return true;
  }
  // The last word overlaps the one before it.
  const char* const last = value.data() + value.size() - 8;
  for (const char* at = value.data(); at < last; at += 8) {
    if (HasForbidden(WordAt(at))) return false;
  }
  return !HasForbidden(WordAt(last));
}

bool Http2HeadCheck::AddField(FieldName field, std::string_view name, std::string_view value) {
  if (!IsFieldValue(value)) return false;
  switch (field) {
    case FieldName::kMethod:
    case FieldName::kScheme:
    case FieldName::kPath:
    case FieldName::kAuthority:
      return AddPseudo(field, value);
    case FieldName::kConnectionSpecific:
    case FieldName::kUnknownPseudo:
      return false;
    case FieldName::kTe:
      regular_ = true;
      return value == "trailers";
    case FieldName::kContentLength:
      regular_ = true;
      return AddLength(value);
    case FieldName::kOther:
      regular_ = true;
      return IsFieldName(name);
    default:
      regular_ = true;
      return true;
  }
}

bool Http2HeadCheck::AddPseudo(FieldName field, std::string_view value) {
  const auto bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(field));
  if (regular_ || (seen_ & bit) != 0) return false;
  seen_ = static_cast<std::uint8_t>(seen_ | bit);
  if (field == FieldName::kMethod) connect_ = value == "CONNECT";
  return field == FieldName::kAuthority || !value.empty();
}

bool Http2HeadCheck::AddLength(std::string_view value) {
  if (length_ != kNoLength || value.empty()) return false;
  std::uint64_t length = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
  if (error != std::errc() || end != value.data() + value.size() || length == kNoLength) {
    return false;
  }
  length_ = length;
  return true;
}

bool Http2HeadCheck::FinishHead(bool end_stream) {
  const auto has = [this](FieldName field) {
    return (seen_ & (1U << static_cast<unsigned>(field))) != 0;
  };
  if (!has(FieldName::kMethod)) return false;
  if (connect_) {
    if (has(FieldName::kScheme) || has(FieldName::kPath) || !has(FieldName::kAuthority)) {
      return false;
    }
  } else if (!has(FieldName::kScheme) || !has(FieldName::kPath)) {
    return false;
  }
  return !end_stream || FinishContent();
}

bool Http2HeadCheck::AddTrailer(FieldName field, std::string_view name,
                                std::string_view value) const {
  if (field == FieldName::kConnectionSpecific) return false;
  return IsFieldName(name) && IsFieldValue(value);
}

bool Http2HeadCheck::AddContent(std::uint64_t bytes) {
  got_ += bytes;
  return length_ == kNoLength || got_ <= length_;
}

}  // namespace weir::net
