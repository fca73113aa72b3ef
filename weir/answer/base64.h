#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "weir/answer/text_writer.h"

namespace weir {

// RFC 4648 section 4: the alphabet with `+` and `/`.
enum class Padding : bool {
  kNone,   // gRPC `-bin` metadata.
  kEqual,  // Structured field byte sequences.
};

void WriteBase64(std::string_view bytes, Padding padding, TextWriter& out);

// How long WriteBase64() makes `bytes`, padding included.
constexpr std::size_t Base64Size(std::size_t bytes) {
  return (bytes + 2) / 3 * 4;
}

// The bytes of `text`.  Missing padding and pad bits that are not zero are accepted; anything else
// that the alphabet lacks (white space, `-`, `_`, padding in the middle) is not.
std::optional<std::string> ReadBase64(std::string_view text);

}  // namespace weir
