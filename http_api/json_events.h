#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "weir/base/arena.h"

namespace weir::http_api {

// A JSON number as far as requests need it.
struct JsonNumber {
  bool negative = false;  // Below zero; -0 is not.
  // The value if it is a non-negative integer below 2^64, however it was spelled (`3`, `3.0`,
  // `3e0`; with a fraction or exponent only up to 2^53, where doubles are exact).
  std::optional<std::uint64_t> integer;

  bool operator==(const JsonNumber&) const = default;
};

// Reads a number spelled as JSON spells them.  Nothing for any other text.
std::optional<JsonNumber> ParseJsonNumber(std::string_view text);

// Told what a JSON text contains, in order.  Returning false stops the reading.
class JsonEvents {
 public:
  virtual bool Null() = 0;
  virtual bool Bool(bool value) = 0;
  virtual bool Number(const JsonNumber& value) = 0;
  virtual bool String(std::string_view value) = 0;
  virtual bool StartObject() = 0;
  virtual bool Key(std::string_view name) = 0;
  virtual bool EndObject() = 0;
  virtual bool StartArray() = 0;
  virtual bool EndArray() = 0;

 protected:
  ~JsonEvents() = default;
};

enum class JsonEnd : std::uint8_t {
  kComplete,
  kStopped,    // A handler returned false.
  kMalformed,  // Not one JSON text (RFC 8259), nested deeper than kMaxJsonDepth, or not UTF-8.  A
               // byte order mark is no part of JSON.
};

inline constexpr std::size_t kMaxJsonDepth = 64;

struct JsonResult {
  JsonEnd end;
  std::size_t position;  // Bytes read; for kMalformed where the fault is.
};

// Reads `text` without building a tree or allocating, at a tenth of the cost of the general parser
// (which is its oracle in the fuzz test).  Strings handed to `events` point into `text` or, where
// they had escapes, into `arena`.
JsonResult ReadJson(std::string_view text, Arena& arena, JsonEvents& events);

}  // namespace weir::http_api
