#include "weir/config/yaml_scalar.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace weir {
namespace {

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

using ScalarValue = decltype(YamlScalar::value);

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

template <std::size_t N>
bool AnyOf(std::string_view text, const std::array<std::string_view, N>& words) {
  for (const std::string_view word : words) {
    if (word == text) return true;
  }
  return false;
}

// Words with a meaning of their own, in exactly these spellings.
std::optional<YamlScalar> FromWord(std::string_view text) {
  static constexpr std::array<std::string_view, 11> kTrue = {
      "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"};
  static constexpr std::array<std::string_view, 11> kFalse = {
      "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"};
  static constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
  static constexpr std::array<std::string_view, 3> kNan = {".nan", ".NaN", ".NAN"};
  static constexpr std::array<std::string_view, 3> kInf = {".inf", ".Inf", ".INF"};
  if (AnyOf(text, kTrue)) return YamlScalar{YamlType::kBool, true, "!!bool", {}};
  if (AnyOf(text, kFalse)) return YamlScalar{YamlType::kBool, false, "!!bool", {}};
  if (AnyOf(text, kNull)) return YamlScalar{YamlType::kNull, {}, "!!null", {}};
  if (AnyOf(text, kNan)) return YamlScalar{YamlType::kFloat, std::nan(""), "!!float", {}};
  const bool sign = text.starts_with('+') || text.starts_with('-');
  if (AnyOf(text.substr(sign ? 1 : 0), kInf)) {
    const double inf = std::numeric_limits<double>::infinity();
    return YamlScalar{YamlType::kFloat, text[0] == '-' ? -inf : inf, "!!float", {}};
  }
  return std::nullopt;
}

// Digits in a base, nothing else.  Go reads no digits after "0" as zero.
std::optional<std::uint64_t> ParseDigits(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<ScalarValue> Signed(std::uint64_t magnitude, bool negative) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (negative) {
    if (magnitude > kMost + 1) return std::nullopt;
    return ScalarValue(static_cast<std::int64_t>(0 - magnitude));
  }
  if (magnitude <= kMost) return ScalarValue(static_cast<std::int64_t>(magnitude));
  return ScalarValue(magnitude);
}

// strconv.ParseInt or ParseUint with base 0.
std::optional<ScalarValue> ParseInteger(std::string_view text) {
  const bool negative = text.starts_with('-');
  const bool plus = text.starts_with('+');
  if (negative || plus) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  int base = 10;
  if (text[0] == '0') {
    const char marker = text.size() >= 3 ? static_cast<char>(text[1] | 0x20) : '\0';
    base = marker == 'b' ? 2 : marker == 'x' ? 16 : 8;
    const bool prefixed = marker == 'b' || marker == 'x' || marker == 'o';
    if (text.size() == 1) return ScalarValue(std::int64_t{0});
    text.remove_prefix(prefixed ? 2 : 1);
  }
  const auto magnitude = ParseDigits(text, base);
  if (!magnitude) return std::nullopt;
  const auto value = Signed(*magnitude, negative);
  // Beyond int64 the text is read as unsigned, where no sign may stand.
  if (value && plus && std::holds_alternative<std::uint64_t>(*value)) return std::nullopt;
  return value;
}

// [-+]? then digits with at most one point, then an exponent.
bool LooksLikeFloat(std::string_view text) {
  std::size_t i = text.starts_with('+') || text.starts_with('-') ? 1 : 0;
  std::size_t digits = 0;
  while (i < text.size() && IsDigit(text[i])) ++i, ++digits;
  if (i < text.size() && text[i] == '.') {
    const bool leading_point = digits == 0;
    ++i;
    while (i < text.size() && IsDigit(text[i])) ++i, ++digits;
    if (leading_point && digits == 0) return false;
  }
  if (digits == 0) return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    const std::size_t first = i;
    while (i < text.size() && IsDigit(text[i])) ++i;
    if (i == first) return false;
  }
  return i == text.size();
}

std::optional<double> ParseFloat(std::string_view text) {
  if (!LooksLikeFloat(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    // Too small is zero, too large is no number.
    const bool tiny = text.find("e-") != std::string_view::npos ||
                      text.find("E-") != std::string_view::npos || text.find('.') == 0;
    return tiny ? std::optional<double>(0.0) : std::nullopt;
  }
  return value;
}

// Go allows a single `_` between two digits of a literal.
std::optional<std::string> WithoutDigitGroups(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      out += text[i];
    } else if (i == 0 || i + 1 == text.size() || !IsDigit(text[i - 1]) || !IsDigit(text[i + 1])) {
      return std::nullopt;
    }
  }
  return out;
}

// Takes one or two digits; -1 if there are none.
int TakeNumber(std::string_view& text) {
  if (text.empty() || !IsDigit(text[0])) return -1;
  const std::size_t n = text.size() > 1 && IsDigit(text[1]) ? 2 : 1;
  int value = 0;
  std::from_chars(text.data(), text.data() + n, value);
  text.remove_prefix(n);
  return value;
}

bool Take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

bool TakeDate(std::string_view& text) {
  int year = 0;
  for (int i = 0; i < 4; ++i) {
    if (text.empty() || !IsDigit(text[0])) return false;
    year = year * 10 + (text[0] - '0');
    text.remove_prefix(1);
  }
  if (!Take(text, '-')) return false;
  const int month = TakeNumber(text);
  if (month < 1 || month > 12 || !Take(text, '-')) return false;
  const int day = TakeNumber(text);
  static constexpr std::array<int, 12> kDays = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return day >= 1 && day <= kDays.at(static_cast<std::size_t>(month - 1)) &&
         (month != 2 || day < 29 || leap);
}

bool TakeTime(std::string_view& text) {
  const int hour = TakeNumber(text);
  if (hour < 0 || hour > 23 || !Take(text, ':')) return false;
  const int minute = TakeNumber(text);
  if (minute < 0 || minute > 59 || !Take(text, ':')) return false;
  const int second = TakeNumber(text);
  if (second < 0 || second > 59) return false;
  if (text.size() >= 2 && (text[0] == '.' || text[0] == ',') && IsDigit(text[1])) {
    text.remove_prefix(1);
    while (!text.empty() && IsDigit(text[0])) text.remove_prefix(1);
  }
  return true;
}

bool TakeZone(std::string_view& text) {
  if (Take(text, 'Z')) return true;
  if (text.size() < 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return false;
  std::string_view hour = text.substr(1, 2);
  std::string_view minute = text.substr(4, 2);
  const int h = TakeNumber(hour);
  const int m = TakeNumber(minute);
  if (h < 0 || h > 24 || m < 0 || m > 60 || !hour.empty() || !minute.empty()) return false;
  text.remove_prefix(6);
  return true;
}

// A date, or a date and a time in the spellings that yaml.v2 knows.
bool LooksLikeTimestamp(std::string_view text) {
  if (!TakeDate(text)) return false;
  if (text.empty()) return true;
  if (Take(text, 'T') || Take(text, 't')) return TakeTime(text) && TakeZone(text) && text.empty();
  if (!Take(text, ' ')) return false;
  while (Take(text, ' ')) {
  }
  return TakeTime(text) && text.empty();
}

YamlScalar FromNumber(std::string_view text, bool may_be_timestamp) {
  if (may_be_timestamp && LooksLikeTimestamp(text)) {
    return {YamlType::kTimestamp, {}, "!!timestamp", {}};
  }
  std::string plain;
  for (const char c : text) {
    if (c != '_') plain += c;
  }
  if (const auto integer = ParseInteger(plain)) return {YamlType::kInt, *integer, "!!int", {}};
  if (const auto real = ParseFloat(plain)) return {YamlType::kFloat, *real, "!!float", {}};
  // Left over from before Go itself read "0b": a sign may follow the prefix.
  if (plain.starts_with("0b-") || plain.starts_with("0b+")) {
    const auto magnitude = ParseDigits(std::string_view(plain).substr(3), 2);
    const auto value = magnitude ? Signed(*magnitude, plain[2] == '-') : std::nullopt;
    if (value && std::holds_alternative<std::int64_t>(*value)) {
      return {YamlType::kInt, *value, "!!int", {}};
    }
  }
  return {YamlType::kString, std::string(text), "!!str", {}};
}

YamlScalar ResolveText(std::string_view text, bool may_be_timestamp) {
  constexpr std::string_view kWordStarts = "yYnNtTfFoO~";
  const char first = text.empty() ? '~' : text[0];
  const bool number = IsDigit(first) || first == '+' || first == '-';
  if (number || first == '.' || kWordStarts.find(first) != std::string_view::npos) {
    if (auto word = FromWord(text)) return *std::move(word);
    if (first == '.') {
      const auto plain = WithoutDigitGroups(text);
      if (const auto real = plain ? ParseFloat(*plain) : std::nullopt) {
        return {YamlType::kFloat, *real, "!!float", {}};
      }
    }
    if (number) return FromNumber(text, may_be_timestamp);
  }
  return {YamlType::kString, std::string(text), "!!str", {}};
}

// Standard base64 with padding; line breaks are skipped, as Go does.
std::optional<std::string> DecodeBase64(std::string_view text) {
  static constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  std::size_t count = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    const std::size_t digit = c == '=' ? 0 : kAlphabet.find(c);
    if (digit == std::string_view::npos || (padding != 0 && c != '=')) return std::nullopt;
    padding += c == '=' ? 1 : 0;
    bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
    if (++count % 4 == 0) {
      for (const unsigned shift : {16U, 8U, 0U}) out += static_cast<char>((bits >> shift) & 0xFFU);
    }
  }
  if (count % 4 != 0 || padding > 2 || padding > count) return std::nullopt;
  out.resize(out.size() - padding);
  return out;
}

std::string ShortTag(std::string_view tag) {
  if (tag.starts_with(kTagPrefix)) return "!!" + std::string(tag.substr(kTagPrefix.size()));
  return std::string(tag);
}

}  // namespace

YamlScalar ResolveScalar(const YamlNode& scalar) {
  if (scalar.tag.empty()) {
    if (!scalar.implicit) return {YamlType::kString, scalar.text, "!!str", {}};
    return ResolveText(scalar.text, true);
  }
  const std::string tag = ShortTag(scalar.tag);
  if (tag == "!!str") return {YamlType::kString, scalar.text, tag, {}};
  if (tag == "!!binary") {
    auto decoded = DecodeBase64(scalar.text);
    if (decoded) return {YamlType::kString, *std::move(decoded), tag, {}};
    return {YamlType::kOther, {}, tag, "!!binary value contains invalid base64 data"};
  }
  static constexpr std::array<std::string_view, 5> kResolvable = {"!!bool", "!!int", "!!float",
                                                                  "!!null", "!!timestamp"};
  if (!AnyOf(tag, kResolvable)) return {YamlType::kOther, scalar.text, tag, {}};
  YamlScalar found = ResolveText(scalar.text, tag == "!!timestamp");
  if (found.tag == tag) return found;
  if (const auto* integer = std::get_if<std::int64_t>(&found.value); integer && tag == "!!float") {
    return {YamlType::kFloat, static_cast<double>(*integer), tag, {}};
  }
  found.error = "cannot decode " + found.tag + " `" + scalar.text + "` as a " + tag;
  return found;
}

YamlType PlainTypeOf(std::string_view text) {
  return ResolveText(text, true).type;
}

}  // namespace weir
