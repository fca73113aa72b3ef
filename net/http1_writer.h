#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "net/http.h"
#include "weir/base/clock.h"

namespace weir::net {

// The reason phrase of a status, "Unknown" for one that has none.
std::string_view ReasonPhrase(int status);

// The text of the Date header (RFC 9110 section 5.6.7, `Sun, 06 Nov 1994 08:49:37 GMT`), written
// anew only when the second changes.
class DateText {
 public:
  // Valid until the next call.
  std::string_view At(WallTime now);

 private:
  std::int64_t second_ = std::numeric_limits<std::int64_t>::min();
  std::array<char, 29> text_{};
};

// How an answer sits on its connection.
struct AnswerFraming {
  bool close = false;       // Say that the connection closes after it.
  bool keep_alive = false;  // Say that it stays open: needed towards HTTP/1.0.
  bool head_only = false;   // The answer to HEAD.
};

// Appends the whole answer to `out`.  Allocates only if `out` has no room.
void AppendAnswer(const HttpResponse& response, AnswerFraming framing, std::string_view date,
                  std::string* out);

}  // namespace weir::net
