#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir::net {

// The first of two readers of a request head, and the strict one.  A general HTTP parser forgives
// what RFC 9112 lets a server forgive; behind a proxy that forgives differently every such mercy is
// a way to smuggle a request.  So the raw bytes are judged here, before the parser sees them, and
// the framing of the body is decided here alone.

// A character of a token (RFC 9110 section 5.6.2): what methods and header names are made of.
bool IsTokenChar(char c);
// A character a header value may contain: anything visible, above ASCII, space and tab.
bool IsValueChar(char c);
// True if `text` is a token: not empty, token characters only.
bool IsToken(std::string_view text);

// Looks for the empty line that ends a head, over bytes that arrive in pieces, reading each once.
class HeadScanner {
 public:
  enum class Found : std::uint8_t {
    kMore,      // No end yet.
    kEnd,       // The head is the first end() bytes, its empty line included.
    kBareFeed,  // A line feed without a carriage return: to be refused.
  };

  // `data` begins with the head and contains at least what it contained at the last call.
  Found Scan(std::string_view data);
  std::size_t end() const { return scanned_; }
  // True once the first line is complete.
  bool past_first_line() const { return line_ != 0; }
  void Reset() { scanned_ = line_ = 0; }

 private:
  std::size_t scanned_ = 0;
  std::size_t line_ = 0;  // Where the current line begins.
};

struct HeadLimits {
  std::size_t max_headers = 100;
  std::size_t max_target = 8 * 1024;
};

// What the raw head says, or why it is refused.
struct HeadVerdict {
  int status = 0;           // 0: good.  Otherwise the status to refuse with; close afterwards.
  std::string_view reason;  // Why; a literal.  Empty if good.

  bool chunked = false;              // The body is chunked; otherwise it has
  std::uint64_t content_length = 0;  // this many bytes.
  bool expect_continue = false;      // The client waits for 100 before it sends the body.

  bool ok() const { return status == 0; }
};

// Judges a complete head, its empty line included (RFC 9112, RFC 9110).  Refused are
//   400  a bare CR, NUL or other control character; a folded line; a name that is no token or is
//        followed by space; anything but `method SP target SP version`; a target that is neither
//        a path, an absolute URI nor `*` (CONNECT: host:port), or contains '#'; no or two Host in
//        HTTP/1.1, two in HTTP/1.0, or a Host that cannot be one; Content-Length that is not just
//        digits, is given twice (even if equal), or overflows; any Transfer-Encoding but exactly
//        `chunked`, given twice, in HTTP/1.0 or beside Content-Length
//   414  a target longer than the limit
//   417  an expectation other than 100-continue
//   431  more header lines than the limit
//   505  a version other than 1.0 and 1.1, HTTP/2's preface among them
HeadVerdict CheckHead(std::string_view head, const HeadLimits& limits);

}  // namespace weir::net
