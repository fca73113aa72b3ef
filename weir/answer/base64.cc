#include "weir/answer/base64.h"

#include <cstdint>

namespace weir {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::uint32_t ByteAt(std::string_view bytes, std::size_t i) {
  return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U;
}

}  // namespace

void WriteBase64(std::string_view bytes, Padding padding, TextWriter& out) {
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t word =
        ByteAt(bytes, i) << 16U | ByteAt(bytes, i + 1) << 8U | ByteAt(bytes, i + 2);
    const std::size_t left = bytes.size() - i;
    const std::size_t letters = left >= 3 ? 4 : left + 1;
    char group[4] = {'=', '=', '=', '='};
    for (std::size_t j = 0; j < letters; ++j) {
      group[j] = kAlphabet[word >> (18U - 6U * j) & 63U];
    }
    out.Put(std::string_view(group, padding == Padding::kEqual ? 4 : letters));
  }
}

std::optional<std::string> ReadBase64(std::string_view text) {
  for (int i = 0; i < 2 && !text.empty() && text.back() == '='; ++i) text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t word = 0;
  unsigned bits = 0;
  for (const char c : text) {
    const std::size_t digit = kAlphabet.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    word = word << 6U | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes.push_back(static_cast<char>(word >> bits & 0xffU));
    }
  }
  return bytes;
}

}  // namespace weir
