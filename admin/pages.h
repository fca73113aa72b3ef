#pragma once

#include <string>
#include <string_view>

#include "admin/admin_state.h"
#include "weir/base/clock.h"

namespace weir::admin {

// An answer by value.
struct Page {
  int status = 200;
  std::string_view content_type = "text/plain; charset=utf-8";
  std::string body;
};

// The pages, each a function of the state.  `query` is the raw query string.

// Prometheus text: Weir's families, and under the reference profile that service's as well.
Page MetricsPage(const AdminState& state, std::string_view query, const Now& now);

// "name: value" a line, sorted.  `format=json` {"stats":[{"name":,"value":}]}, `format=prometheus`
// as /metrics; `filter=` keeps names in which the regular expression (RE2) is found, `usedonly`
// those that are not 0.  400 for an unknown format or a filter that is no expression, is longer
// than kLongestValue or needs more than a bounded memory.
Page StatsPage(const AdminState& state, std::string_view query, const Now& now);

// The limits in force, one a line, sorted by text: as the reference service prints them, behind
// comment lines with generation, hash and the result of the last load.  Under the native profile
// each line ends with what else is known: window, algorithm, burst, file and line.
Page RuleListPage(const AdminState& state, std::string_view query, const Now& now);

// The policy in force as JSON, every rule with file and line, in the order of the files.
Page ConfigDumpPage(const AdminState& state, std::string_view query, const Now& now);

// /healthcheck and /readyz: 200 "OK", or /healthcheck 500 and /readyz 503 with the reason.
Page HealthPage(const AdminState& state, std::string_view query, const Now& now);
Page ReadyPage(const AdminState& state, std::string_view query, const Now& now);
// /livez: 200 "OK", or 503 with the reason.
Page LivePage(const AdminState& state, std::string_view query, const Now& now);

// Version, uptime, workers, profile and options as JSON.
Page ServerInfoPage(const AdminState& state, std::string_view query, const Now& now);

}  // namespace weir::admin
