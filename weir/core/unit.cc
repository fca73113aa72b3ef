#include "weir/core/unit.h"

#include <array>

namespace weir {
namespace {

struct Row {
  Unit unit;
  std::string_view name;
  std::string_view short_name;
  std::int64_t seconds;
};

constexpr std::array<Row, 8> kUnits = {{
    {Unit::kUnknown, "UNKNOWN", "", 0},
    {Unit::kSecond, "SECOND", "s", 1},
    {Unit::kMinute, "MINUTE", "min", 60},
    {Unit::kHour, "HOUR", "h", 3600},
    {Unit::kDay, "DAY", "day", 86'400},
    {Unit::kMonth, "MONTH", "month", 2'592'000},
    {Unit::kYear, "YEAR", "year", 31'536'000},
    {Unit::kWeek, "WEEK", "week", 604'800},
}};

char Upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

bool SameIgnoringCase(std::string_view text, std::string_view upper) {
  if (text.size() != upper.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (Upper(text[i]) != upper[i]) return false;
  }
  return true;
}

}  // namespace

Duration LengthOf(Unit unit) {
  return std::chrono::seconds(kUnits.at(static_cast<std::size_t>(unit)).seconds);
}

std::string_view NameOf(Unit unit) {
  return kUnits.at(static_cast<std::size_t>(unit)).name;
}

std::string_view ShortNameOf(Unit unit) {
  return kUnits.at(static_cast<std::size_t>(unit)).short_name;
}

std::optional<Unit> ParseUnit(std::string_view text) {
  for (const Row& row : kUnits) {
    if (row.unit != Unit::kUnknown && SameIgnoringCase(text, row.name)) return row.unit;
  }
  return std::nullopt;
}

Unit UnitFromWire(std::uint64_t number) {
  return number < kUnits.size() ? kUnits.at(number).unit : Unit::kUnknown;
}

}  // namespace weir
