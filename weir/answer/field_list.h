#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace weir {

// Reading structured field Lists (RFC 9651 section 4.2): what others send us in RateLimit and
// RateLimit-Policy.  Allocates; not for the hot path.

struct FieldToken {
  std::string text;
  bool operator==(const FieldToken&) const = default;
};
struct FieldBytes {
  std::string bytes;
  bool operator==(const FieldBytes&) const = default;
};
// Exact: thousandths.
struct FieldDecimal {
  std::int64_t thousandths = 0;
  bool operator==(const FieldDecimal&) const = default;
};
struct FieldDate {
  std::int64_t seconds = 0;
  bool operator==(const FieldDate&) const = default;
};
struct FieldDisplayString {
  std::string text;  // UTF-8.
  bool operator==(const FieldDisplayString&) const = default;
};

// A plain std::string is a String, a std::int64_t an Integer.
using FieldBareItem = std::variant<std::int64_t, FieldDecimal, std::string, FieldToken, FieldBytes,
                                   bool, FieldDate, FieldDisplayString>;
// Keys are unique; a repeated one keeps its first place and its last value.
using FieldParameters = std::vector<std::pair<std::string, FieldBareItem>>;

struct FieldItem {
  FieldBareItem value;
  FieldParameters parameters;

  // The parameter's value, or null.
  const FieldBareItem* Find(std::string_view key) const;
  bool operator==(const FieldItem&) const = default;
};

struct FieldInnerList {
  std::vector<FieldItem> items;
  FieldParameters parameters;
  bool operator==(const FieldInnerList&) const = default;
};

using FieldMember = std::variant<FieldItem, FieldInnerList>;
using FieldList = std::vector<FieldMember>;

// Bounds, beyond which the field fails.  Both are at least what RFC 9651 asks of every parser.
inline constexpr std::size_t kLongestField = std::size_t{64} * 1024;
inline constexpr std::size_t kMostFieldParameters = 256;  // Of one item.

// Strict: any error anywhere fails the whole field, and then there is nothing.  Join several lines
// of one field with ", " first.  An empty text is an empty List.
std::optional<FieldList> ParseFieldList(std::string_view text);

// The canonical text of a List, as a serializer would write it.
std::string CanonicalField(const FieldList& list);

}  // namespace weir
