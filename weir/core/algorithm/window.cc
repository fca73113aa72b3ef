#include "weir/core/algorithm/window.h"

namespace weir {
namespace {

WindowSpan CalendarMonth(WallTime now) {
  using std::chrono::days;
  using std::chrono::sys_days;
  using std::chrono::year_month;
  using std::chrono::year_month_day;
  const auto day = std::chrono::floor<days>(now.time_since_epoch());
  const year_month_day date{sys_days(day)};
  const year_month month{date.year(), date.month()};
  const sys_days first{month / 1};
  const sys_days next{(month + std::chrono::months(1)) / 1};
  return {.start = WallTime(first.time_since_epoch()), .end = WallTime(next.time_since_epoch())};
}

}  // namespace

WindowSpan WindowAt(const Quota& quota, WallTime now) {
  if (quota.calendar) return CalendarMonth(now);
  const std::int64_t length = quota.window.count();
  const std::int64_t ns = now.time_since_epoch().count();
  std::int64_t into = ns % length;
  if (into < 0) into += length;
  const WallTime start(Duration(ns - into));
  return {.start = start, .end = start + quota.window};
}

}  // namespace weir
