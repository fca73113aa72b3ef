#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weir::admin {

// The first value of `name` in a query string ("a=1&b=x%20y"), percent-decoded, `+` as a space; an
// empty text for a name without `=`.  Nothing if the name is not there or its value is badly
// encoded or longer than kLongestValue.
inline constexpr std::size_t kLongestValue = 512;
std::optional<std::string> QueryValue(std::string_view query, std::string_view name);

// Whether `name` is in the query at all.
bool HasQuery(std::string_view query, std::string_view name);

}  // namespace weir::admin
