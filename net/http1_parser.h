#pragma once

#include <string_view>
#include <vector>

#include "net/http.h"

namespace weir::net {

// The second reader of a request: Boost.Beast's basic_parser over our buffers, hidden here so that
// nobody else compiles it.  It only sees heads that CheckHead() accepted.

// A parsed head; views into the bytes that were parsed.  Keep one and parse into it again: the
// vector keeps its room.
struct RequestHead {
  std::string_view method;
  std::string_view target;
  std::vector<HttpHeader> headers;
  int version = 11;
  bool keep_alive = true;  // What version and Connection ask for (RFC 9112 section 9.3).
};

// Parses a complete head, its empty line included.  False if Beast refuses it after all.
bool ParseHead(std::string_view bytes, RequestHead* head);

// The path and query of a target in any of the four forms of RFC 9112 section 3.2.
struct TargetParts {
  std::string_view path;
  std::string_view query;
};
TargetParts SplitTarget(std::string_view method, std::string_view target);

}  // namespace weir::net
