#include "cli/go_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "weir/base/wide.h"

namespace weir::cli {
namespace {

constexpr std::uint64_t kLargest =
    static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// Takes the sign off; true for '-'.
bool TakeSign(std::string_view& text) {
  if (text.empty() || (text.front() != '-' && text.front() != '+')) return false;
  const bool minus = text.front() == '-';
  text.remove_prefix(1);
  return minus;
}

std::optional<std::int64_t> WithSign(std::uint64_t magnitude, bool minus) {
  if (magnitude > kLargest + (minus ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(minus ? ~magnitude + 1 : magnitude);
}

int TakeBase(std::string_view& text) {
  if (text.size() < 2 || text.front() != '0') return 10;
  const auto letter = static_cast<char>(text[1] | 0x20);
  const int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
  if (base == 0) return 8;  // The digits that follow are octal, and the 0 does no harm.
  text.remove_prefix(2);
  if (!text.empty() && text.front() == '_') text.remove_prefix(1);
  return base;
}

// How many nanoseconds the unit at the front has, and its length; {0, 0} if there is none.
std::pair<std::uint64_t, std::size_t> UnitAt(std::string_view text) {
  struct Name {
    std::string_view text;
    std::uint64_t nanos;
  };
  static constexpr std::array<Name, 8> kUnits{{{"ns", 1},
                                               {"us", 1'000},
                                               {"\xC2\xB5s", 1'000},
                                               {"\xCE\xBCs", 1'000},
                                               {"ms", 1'000'000},
                                               {"s", 1'000'000'000},
                                               {"m", 60'000'000'000},
                                               {"h", 3'600'000'000'000}}};
  for (const Name& unit : kUnits) {
    if (text.starts_with(unit.text)) return {unit.nanos, unit.text.size()};
  }
  return {0, 0};
}

// Reads one "1.5h" off the front; nothing if there is none or it overflows.
std::optional<std::uint64_t> TakeTerm(std::string_view& text) {
  Wide whole = 0;
  Wide part = 0;
  Wide scale = 1;
  std::size_t i = 0;
  std::size_t digits = 0;
  for (; i < text.size() && IsDigit(text[i]); ++i, ++digits) {
    whole = whole * 10 + static_cast<unsigned>(text[i] - '0');
    if (whole > kLargest + 1) return std::nullopt;
  }
  if (i < text.size() && text[i] == '.') {
    for (++i; i < text.size() && IsDigit(text[i]); ++i, ++digits) {
      if (scale > 100'000'000'000'000'000U) continue;  // Below a nanosecond of any unit.
      part = part * 10 + static_cast<unsigned>(text[i] - '0');
      scale *= 10;
    }
  }
  const auto [nanos, length] = UnitAt(text.substr(i));
  if (digits == 0 || length == 0) return std::nullopt;
  const Wide total = whole * nanos + part * nanos / scale;
  if (total > kLargest + 1) return std::nullopt;
  text.remove_prefix(i + length);
  return static_cast<std::uint64_t>(total);
}

}  // namespace

std::optional<bool> ParseGoBool(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

std::optional<std::int64_t> ParseGoInt(std::string_view text) {
  const bool minus = TakeSign(text);
  const int base = TakeBase(text);
  if (text.empty() || text.front() == '_' || text.back() == '_') return std::nullopt;
  if (text.find("__") != std::string_view::npos) return std::nullopt;
  std::string digits(text);
  std::erase(digits, '_');
  std::uint64_t magnitude = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return WithSign(magnitude, minus);
}

std::optional<double> ParseGoFloat(std::string_view text) {
  const bool minus = TakeSign(text);
  // from_chars takes a sign, too, and words.
  if (text.empty() || (!IsDigit(text.front()) && text.front() != '.')) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(value)) return std::nullopt;
  return minus ? -value : value;
}

std::optional<Duration> ParseGoDuration(std::string_view text) {
  const bool minus = TakeSign(text);
  if (text == "0") return Duration{};
  if (text.empty()) return std::nullopt;
  std::uint64_t sum = 0;
  while (!text.empty()) {
    const auto term = TakeTerm(text);
    if (!term || *term > kLargest + 1 - sum) return std::nullopt;
    sum += *term;
  }
  const auto nanos = WithSign(sum, minus);
  if (!nanos) return std::nullopt;
  return Duration(*nanos);
}

bool IsGoMap(std::string_view text) {
  if (text.find_first_not_of(" \t") == std::string_view::npos) return true;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    if (std::count(item.begin(), item.end(), ':') != 1) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace weir::cli
