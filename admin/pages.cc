#include "admin/pages.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "observe/civil_date.h"
#include "observe/engine_metrics.h"
#include "observe/reference_metrics.h"

namespace weir::admin {
namespace {

Page Condition(bool good, int bad_status, const std::string& reason) {
  if (good) return {.body = "OK\n"};
  return {.status = bad_status, .body = reason + "\n"};
}

}  // namespace

Page MetricsPage(const AdminState& state, std::string_view /*query*/, const Now& now) {
  const std::vector<const Engine*> engines = state.engines();
  const observe::ServiceCounts counts = state.counts();
  observe::Exposition page;
  observe::WriteEngineMetrics(engines, state.store(), counts, now, page);
  if (engines.front()->policy()->profile() == Profile::kReference) {
    observe::WriteReferenceMetrics(engines, counts.reference, page);
  }
  page.Finish();
  return {.content_type = observe::Exposition::kContentType, .body = page.text()};
}

Page HealthPage(const AdminState& state, std::string_view /*query*/, const Now& /*now*/) {
  const Health health = state.health();
  return Condition(health.ready, 500, health.reason);
}

Page ReadyPage(const AdminState& state, std::string_view /*query*/, const Now& /*now*/) {
  const Health health = state.health();
  return Condition(health.ready, 503, health.reason);
}

Page LivePage(const AdminState& state, std::string_view /*query*/, const Now& /*now*/) {
  const Health health = state.health();
  return Condition(health.live, 503, health.reason);
}

Page ServerInfoPage(const AdminState& state, std::string_view /*query*/, const Now& now) {
  const ServerFacts facts = state.server();
  std::string started;
  observe::AppendTimestamp(facts.started, started);
  nlohmann::ordered_json options = nlohmann::ordered_json::object();
  for (const auto& [name, value] : facts.options) options[name] = value;
  const double uptime = std::chrono::duration<double>(now.wall - facts.started).count();
  const nlohmann::ordered_json json = {
      {"version", facts.version},
      {"revision", facts.revision},
      {"state", state.health().ready ? "LIVE" : "NOT_READY"},
      {"started", started},
      {"uptime_seconds", static_cast<std::int64_t>(std::floor(uptime > 0 ? uptime : 0))},
      {"workers", facts.workers},
      {"profile", facts.profile},
      {"options", options}};
  using Handler = nlohmann::ordered_json::error_handler_t;
  return {.content_type = "application/json",
          .body = json.dump(2, ' ', false, Handler::replace) + "\n"};
}

}  // namespace weir::admin
