#include "weir/answer/grpc_details.h"

#include <algorithm>
#include <cassert>
#include <span>

#include "weir/answer/base64.h"
#include "weir/answer/text_writer.h"
#include "weir/base/utf8.h"
#include "weir/core/decision.h"

namespace weir {
namespace {

constexpr std::string_view kRetryInfoUrl = "type.googleapis.com/google.rpc.RetryInfo";

// Protobuf in three words; enough for messages whose parts are written before their lengths.
class WireWriter {
 public:
  explicit WireWriter(std::span<char> memory) : out_(memory) {}

  void Varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) out_.Put(static_cast<char>(value | 0x80U));
    out_.Put(static_cast<char>(value));
  }
  // Zero is proto3's default and is left out.
  void Number(std::uint32_t field, std::uint64_t value) {
    if (value == 0) return;
    Varint(field << 3U);
    Varint(value);
  }
  void Text(std::uint32_t field, std::string_view bytes) {
    Varint(field << 3U | 2U);
    Varint(bytes.size());
    out_.Put(bytes);
  }
  std::string_view bytes() const {
    assert(!out_.full());
    return out_.text();
  }

 private:
  TextWriter out_;
};

std::string_view CutAt(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  // Not into a character; malformed texts have no characters to spare.
  while (end > most - 4 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end);
}

}  // namespace

std::string_view GrpcRetryDetails::Write(std::uint32_t code, std::string_view message,
                                         Duration retry) {
  WireWriter status(bytes_);
  status.Number(1, code);
  const std::string_view cut = CutAt(message, kLongestMessage);
  if (!cut.empty()) status.Text(2, cut);
  if (retry != kNeverFits) {
    const Duration wait = std::max(retry, Duration::zero());
    const auto seconds = std::chrono::floor<std::chrono::seconds>(wait);
    std::array<char, 24> duration_memory;
    WireWriter duration(duration_memory);
    duration.Number(1, static_cast<std::uint64_t>(seconds.count()));
    duration.Number(2, static_cast<std::uint64_t>((wait - seconds).count()));

    std::array<char, 32> info_memory;
    WireWriter info(info_memory);
    info.Text(1, duration.bytes());

    std::array<char, 96> any_memory;
    WireWriter any(any_memory);
    any.Text(1, kRetryInfoUrl);
    any.Text(2, info.bytes());
    status.Text(3, any.bytes());
  }
  size_ = status.bytes().size();

  TextWriter text(text_);
  WriteBase64(bytes(), Padding::kNone, text);
  return text.text();
}

std::int64_t RetryPushbackMillis(Duration retry) {
  if (retry == kNeverFits) return -1;
  return std::chrono::ceil<std::chrono::milliseconds>(std::max(retry, Duration::zero())).count();
}

}  // namespace weir
