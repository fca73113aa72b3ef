#include "observe/stats.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace weir::observe {
namespace {

constexpr std::array<std::pair<std::string_view, std::uint64_t RuleTotals::*>, 6> kRuleStats = {
    {{"near_limit", &RuleTotals::near_limit},
     {"over_limit", &RuleTotals::over_limit},
     {"over_limit_with_local_cache", &RuleTotals::over_limit_with_local_cache},
     {"shadow_mode", &RuleTotals::shadow_mode},
     {"total_hits", &RuleTotals::total_hits},
     {"within_limit", &RuleTotals::within_limit}}};

// A name is a line's part: nothing in it may end the line.
std::string OneLineName(std::string name) {
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '_';
  }
  return name;
}

}  // namespace

std::vector<Stat> ReadStats(Engines engines, const MemoryStore* store,
                            const ServiceCounts& service) {
  std::vector<Stat> stats;
  const auto add = [&](std::string name, std::uint64_t value) {
    stats.push_back({OneLineName(std::move(name)), value});
  };
  for (const auto& [key, totals] : TotalsByStatKey(engines)) {
    for (const auto& [kind, count] : kRuleStats) {
      add("ratelimit.service.rate_limit." + key + "." + std::string(kind), totals.*count);
    }
  }
  Engine::LoopTotals loops;
  for (const Engine* engine : engines) {
    const Engine::LoopTotals more = engine->Loops();
    loops.requests += more.requests;
    loops.unmatched += more.unmatched;
    loops.unknown_domain += more.unknown_domain;
  }
  add("weir.checks", loops.requests);
  add("weir.unmatched", loops.unmatched);
  add("weir.unknown_domain", loops.unknown_domain);
  for (const TransportCounts& t : service.transports) add("weir.requests." + t.name, t.requests);
  if (store != nullptr) {
    add("weir.key_table.entries", store->keys());
    add("weir.key_table.bytes", store->bytes());
    add("weir.key_table.evictions", store->evictions());
  }
  add("weir.decision_log.lines", service.decision_log.written);
  add("weir.decision_log.dropped", service.decision_log.dropped);
  add("ratelimit.service.config_load_success", service.config.loads_ok);
  add("ratelimit.service.config_load_error", service.config.loads_failed);
  add("ratelimit.service.global_shadow_mode", service.reference.global_shadow_mode);
  add("ratelimit.service.call.should_rate_limit.redis_error", service.reference.redis_errors);
  add("ratelimit.service.call.should_rate_limit.service_error", service.reference.service_errors);
  add("ratelimit_server.ShouldRateLimit.total_requests",
      service.reference.should_rate_limit_requests);
  std::sort(stats.begin(), stats.end(),
            [](const Stat& a, const Stat& b) { return a.name < b.name; });
  return stats;
}

}  // namespace weir::observe
