#include "observe/civil_date.h"

#include <algorithm>
#include <cstdint>

namespace weir::observe {
namespace {

void AppendPadded(std::int64_t number, int width, std::string& out) {
  const std::size_t begin = out.size();
  out.append(static_cast<std::size_t>(width), '0');
  for (std::size_t i = begin + static_cast<std::size_t>(width); i-- > begin; number /= 10) {
    out[i] = static_cast<char>('0' + number % 10);
  }
}

void AppendDate(std::chrono::sys_days day, std::string& out) {
  const std::chrono::year_month_day date(day);
  AppendPadded(std::clamp<std::int64_t>(static_cast<int>(date.year()), 0, 9999), 4, out);
  out += '-';
  AppendPadded(static_cast<unsigned>(date.month()), 2, out);
  out += '-';
  AppendPadded(static_cast<unsigned>(date.day()), 2, out);
}

std::chrono::sys_days DayOf(WallTime t) {
  return std::chrono::sys_days(std::chrono::floor<std::chrono::days>(t.time_since_epoch()));
}

}  // namespace

std::string DateOf(WallTime t) {
  std::string out;
  AppendDate(DayOf(t), out);
  return out;
}

void AppendTimestamp(WallTime t, std::string& out) {
  const std::chrono::sys_days day = DayOf(t);
  AppendDate(day, out);
  const Duration rest = t.time_since_epoch() - day.time_since_epoch();
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(rest).count();
  out += 'T';
  AppendPadded(ms / 3'600'000, 2, out);
  out += ':';
  AppendPadded(ms / 60'000 % 60, 2, out);
  out += ':';
  AppendPadded(ms / 1000 % 60, 2, out);
  out += '.';
  AppendPadded(ms % 1000, 3, out);
  out += 'Z';
}

}  // namespace weir::observe
