#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::http_api {

// Writing JSON by appending to a string that keeps its room.

// `text` as a JSON string, quotes included.  Bytes that are not UTF-8 become U+FFFD.
void AppendJsonString(std::string_view text, std::string* out);
void AppendJsonNumber(std::uint64_t number, std::string* out);

}  // namespace weir::http_api
