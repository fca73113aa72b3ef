#include <optional>
#include <string>

#include <nlohmann/json.hpp>
#include <re2/re2.h>

#include "admin/pages.h"
#include "admin/query.h"
#include "observe/stats.h"

namespace weir::admin {
namespace {

constexpr std::int64_t kFilterMemory = 1 << 20;

Page Bad(std::string text) {
  return {.status = 400, .body = std::move(text) + "\n"};
}

std::string AsText(const std::vector<observe::Stat>& stats) {
  std::string out;
  for (const observe::Stat& stat : stats) {
    out.append(stat.name).append(": ").append(std::to_string(stat.value)).append("\n");
  }
  return out;
}

std::string AsJson(const std::vector<observe::Stat>& stats) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const observe::Stat& stat : stats) {
    list.push_back({{"name", stat.name}, {"value", stat.value}});
  }
  const nlohmann::ordered_json json = {{"stats", std::move(list)}};
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

Page StatsPage(const AdminState& state, std::string_view query, const Now& now) {
  const std::string format = QueryValue(query, "format").value_or("");
  if (format == "prometheus") return MetricsPage(state, {}, now);
  if (HasQuery(query, "format") && format != "json" && format != "text") {
    return Bad("format: json, prometheus or text");
  }
  std::vector<observe::Stat> stats =
      observe::ReadStats(state.engines(), state.store(), state.counts());
  if (HasQuery(query, "filter")) {
    const std::optional<std::string> text = QueryValue(query, "filter");
    if (!text) return Bad("filter: badly encoded, or longer than 512 bytes");
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(kFilterMemory);
    const RE2 filter(*text, options);
    if (!filter.ok()) return Bad("filter: " + filter.error());
    std::erase_if(stats,
                  [&](const observe::Stat& s) { return !RE2::PartialMatch(s.name, filter); });
  }
  if (HasQuery(query, "usedonly")) {
    std::erase_if(stats, [](const observe::Stat& s) { return s.value == 0; });
  }
  if (format == "json") return {.content_type = "application/json", .body = AsJson(stats)};
  return {.body = AsText(stats)};
}

}  // namespace weir::admin
