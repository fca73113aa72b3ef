#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weir::net {

// Removes the chunked coding (RFC 9112 section 7.1), byte by byte, holding nothing back.  Chunk
// extensions and trailers are checked for form and dropped.  Our own and not Beast's, which stops
// the process with an assertion when a last chunk arrives in small pieces.
class ChunkDecoder {
 public:
  enum class Status : std::uint8_t {
    kMore,      // All bytes were consumed and the body goes on.
    kDone,      // The body is complete; what was not consumed belongs to the next request.
    kBad,       // Not the chunked coding, a bare line feed for one; or beyond kMaxLine.
    kTooLarge,  // The body exceeds the limit.
  };
  struct Step {
    Status status;
    std::size_t consumed;
  };

  // Begins a body of at most `max_body` bytes.
  void Reset(std::uint64_t max_body);

  // Appends decoded bytes to `body`.  After kBad or kTooLarge only Reset() may follow.
  Step Put(std::string_view bytes, std::string* body);

  // Bound of a chunk's size line with its extensions, and of all trailers together.
  static constexpr std::size_t kMaxLine = 4096;

 private:
  enum class At : std::uint8_t {
    kSizeFirst,    // The first digit of a size.
    kSize,         // More digits, or what ends them.
    kSpace,        // Space after the size: an extension must follow.
    kExtension,    // In the extensions.
    kSizeFeed,     // The line feed after a size line.
    kData,         // In a chunk.
    kDataReturn,   // The carriage return after a chunk,
    kDataFeed,     // and its line feed.
    kTrailer,      // The first byte of a trailer line, or of the empty line that ends all.
    kTrailerName,  // In a trailer's name.
    kTrailerText,  // In its value.
    kTrailerFeed,  // The line feed after a trailer.
    kLastFeed,     // The last line feed.
  };

  // Takes one byte outside of chunk data.  kMore goes on.
  Status TakeByte(char c);
  Status TakeDigit(char c);
  bool EndOfLine(char c, At next);

  At at_ = At::kSizeFirst;
  std::uint64_t size_ = 0;  // Of the current chunk, and then what is left of it.
  std::uint64_t room_ = 0;  // What the body may still take.
  std::size_t line_ = 0;    // Bytes of the size line, or of all trailers.
};

}  // namespace weir::net
