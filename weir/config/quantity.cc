#include "weir/config/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace weir {
namespace {

constexpr Duration kLongest = std::chrono::hours(24) * 36525;

struct UnitName {
  std::string_view name;
  std::int64_t nanos;
};
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr auto kUnits = std::to_array<UnitName>({{"ns", 1},
                                                 {"us", 1'000},
                                                 {"ms", 1'000'000},
                                                 {"s", kSecond},
                                                 {"m", 60 * kSecond},
                                                 {"h", 3600 * kSecond},
                                                 {"d", 86400 * kSecond}});
constexpr auto kLongUnits = std::to_array<UnitName>({{"sec", kSecond},
                                                     {"second", kSecond},
                                                     {"min", 60 * kSecond},
                                                     {"minute", 60 * kSecond},
                                                     {"hour", 3600 * kSecond},
                                                     {"day", 86400 * kSecond},
                                                     {"week", 604800 * kSecond}});

template <std::size_t N>
std::int64_t NanosOf(std::string_view name, const std::array<UnitName, N>& units) {
  for (const UnitName& unit : units) {
    if (unit.name == name) return unit.nanos;
  }
  return 0;
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view TakeWhile(std::string_view& text, bool (*test)(char)) {
  std::size_t n = 0;
  while (n < text.size() && test(text[n])) ++n;
  const std::string_view taken = text.substr(0, n);
  text.remove_prefix(n);
  return taken;
}

}  // namespace

std::optional<Duration> ParseDuration(std::string_view text) {
  if (text == "0") return Duration(0);
  if (text.empty()) return std::nullopt;
  double nanos = 0;
  while (!text.empty()) {
    const std::string_view number = TakeWhile(text, [](char c) { return IsDigit(c) || c == '.'; });
    const std::string_view unit = TakeWhile(text, [](char c) { return c >= 'a' && c <= 'z'; });
    const std::int64_t length = NanosOf(unit, kUnits);
    double count = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count);
    if (number.empty() || length == 0 || error != std::errc() ||
        end != number.data() + number.size()) {
      return std::nullopt;
    }
    nanos += count * static_cast<double>(length);
    if (nanos > static_cast<double>(kLongest.count())) return std::nullopt;
  }
  return Duration(std::llround(nanos));
}

std::string DurationText(Duration d) {
  if (d.count() == 0) return "0s";
  std::string out = d.count() < 0 ? "-" : "";
  std::int64_t left = std::abs(d.count());
  for (auto unit = kUnits.rbegin(); unit != kUnits.rend(); ++unit) {
    const std::int64_t n = left / unit->nanos;
    if (n != 0) out += std::to_string(n) + std::string(unit->name);
    left %= unit->nanos;
  }
  return out;
}

std::optional<Rate> ParseRate(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto count = ParseCount(text.substr(0, slash));
  const std::string_view per = text.substr(slash + 1);
  if (!count) return std::nullopt;
  std::int64_t nanos = NanosOf(per, kUnits);
  if (nanos == 0) nanos = NanosOf(per, kLongUnits);
  if (nanos != 0) return Rate{*count, Duration(nanos)};
  const auto window = ParseDuration(per);
  if (!window || window->count() == 0) return std::nullopt;
  return Rate{*count, *window};
}

std::optional<std::uint32_t> ParsePercent(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  const auto value = ParseCount(text);
  if (!value || *value > 100) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

std::optional<std::uint64_t> ParseBytes(std::string_view text) {
  const std::string_view number = TakeWhile(text, [](char c) { return IsDigit(c) || c == '_'; });
  const auto count = ParseCount(number);
  if (!count) return std::nullopt;
  static constexpr auto kSizes =
      std::to_array<std::pair<std::string_view, std::uint64_t>>({{"", 1},
                                                                 {"B", 1},
                                                                 {"kB", 1000},
                                                                 {"KB", 1000},
                                                                 {"MB", 1000'000},
                                                                 {"GB", 1000'000'000},
                                                                 {"KiB", 1ULL << 10U},
                                                                 {"MiB", 1ULL << 20U},
                                                                 {"GiB", 1ULL << 30U}});
  for (const auto& [name, size] : kSizes) {
    if (name != text) continue;
    if (*count > std::numeric_limits<std::uint64_t>::max() / size) return std::nullopt;
    return *count * size;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> ParseCount(std::string_view text) {
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (IsDigit(text[i])) {
      digits += text[i];
    } else if (text[i] != '_' || i == 0 || i + 1 == text.size() || text[i - 1] == '_') {
      return std::nullopt;
    }
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  return value;
}

bool IsDate(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const auto year = ParseCount(text.substr(0, 4));
  const auto month = ParseCount(text.substr(5, 2));
  const auto day = ParseCount(text.substr(8, 2));
  if (!year || !month || !day) return false;
  return std::chrono::year_month_day(std::chrono::year(static_cast<int>(*year)),
                                     std::chrono::month(static_cast<unsigned>(*month)),
                                     std::chrono::day(static_cast<unsigned>(*day)))
      .ok();
}

}  // namespace weir
