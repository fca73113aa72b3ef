#pragma once

#include <cstdint>
#include <string_view>

namespace weir::net {

// Names of request fields that a server looks at, so that each is compared only once.
enum class FieldName : std::uint8_t {
  kOther,
  kMethod,
  kScheme,
  kPath,
  kAuthority,
  kTe,
  kHost,
  kContentType,
  kContentLength,
  kUserAgent,
  kGrpcTimeout,
  kGrpcEncoding,
  kTraceparent,
  kXRequestId,
  kConnectionSpecific,  // Must not appear in HTTP/2.
  kUnknownPseudo,       // Begins with a colon, and is no pseudo field of a request.
};
FieldName FieldNameOf(std::string_view name);

// Whether a message's fields are well-formed: RFC 9113 sections 8.2 and 8.3, RFC 9110 section 8.6.
// One object a request; Reset() makes it new.
class Http2HeadCheck {
 public:
  void Reset() { *this = Http2HeadCheck(); }

  // The fields of a header section in order.  False: the request is malformed.
  bool AddField(FieldName field, std::string_view name, std::string_view value);
  // The header section is complete.
  bool FinishHead(bool end_stream);

  // Fields after the content.
  bool AddTrailer(FieldName field, std::string_view name, std::string_view value) const;

  // Content has arrived, and then ended.  False if it is not as long as announced.
  bool AddContent(std::uint64_t bytes);
  bool FinishContent() const { return length_ == kNoLength || length_ == got_; }

 private:
  static constexpr std::uint64_t kNoLength = UINT64_MAX;

  bool AddPseudo(FieldName field, std::string_view value);
  bool AddLength(std::string_view value);

  std::uint64_t length_ = kNoLength;
  std::uint64_t got_ = 0;
  std::uint8_t seen_ = 0;  // A bit for each pseudo field.
  bool regular_ = false;   // A regular field was seen.
  bool connect_ = false;
};

// A field value may hold anything but NUL, CR and LF, and no space or tab at its ends.
// RFC 9113 section 8.2.1
bool IsFieldValue(std::string_view value);

}  // namespace weir::net
