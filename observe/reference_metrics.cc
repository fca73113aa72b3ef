#include "observe/reference_metrics.h"

#include <algorithm>
#include <array>
#include <utility>

#include "observe/utf8_text.h"

namespace weir::observe {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// Where one to three digits at `at` end; `at` if there are none.  Never fewer digits than it can
// take: what follows an octet is a dot or the end, so giving digits back cannot help.
std::size_t OctetEnd(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && end - at < 3 && IsDigit(text[end])) ++end;
  return end;
}

// The end of four dotted octets that begin at `at`; `at` if there are none.
std::size_t AddressEnd(std::string_view text, std::size_t at) {
  std::size_t end = at;
  for (int octet = 0; octet < 4; ++octet) {
    if (octet > 0) {
      if (end >= text.size() || text[end] != '.') return at;
      ++end;
    }
    const std::size_t next = OctetEnd(text, end);
    if (next == end) return at;
    end = next;
  }
  return end;
}

struct Family {
  std::string_view suffix;
  std::uint64_t RuleTotals::*count;
};

constexpr std::array<Family, 5> kMapped = {{{"total_hits", &RuleTotals::total_hits},
                                            {"over_limit", &RuleTotals::over_limit},
                                            {"near_limit", &RuleTotals::near_limit},
                                            {"within_limit", &RuleTotals::within_limit},
                                            {"shadow_mode", &RuleTotals::shadow_mode}}};

constexpr std::string_view kHelp = "As envoyproxy/ratelimit reports it.";
constexpr std::string_view kPrefix = "ratelimit_service_rate_limit_";

using BySeries = std::map<ReferenceLabels, RuleTotals>;

void WriteRules(const BySeries& series, Exposition& page) {
  for (const Family& family : kMapped) {
    page.Begin(std::string(kPrefix) + std::string(family.suffix), MetricType::kCounter, kHelp);
    for (const auto& [labels, totals] : series) {
      const std::array<Label, 3> all = {
          {{"domain", labels.domain}, {"key1", labels.key1}, {"key2", labels.key2}}};
      page.Add(Labels(all).first(labels.key2.empty() ? 2 : 3), totals.*family.count);
    }
  }
}

// What the mapping has no rule for: the whole key becomes part of the name.
void WriteUnmapped(const std::map<std::string, std::uint64_t, std::less<>>& counts,
                   Exposition& page) {
  for (const auto& [name, count] : counts) {
    page.Begin(name, MetricType::kCounter, kHelp);
    page.Add({}, count);
  }
}

void WriteService(const ReferenceServiceCounts& service, Exposition& page) {
  page.Begin("ratelimit_service_should_rate_limit_error", MetricType::kCounter, kHelp);
  page.Add({{"err_type", "redis_error"}}, service.redis_errors);
  page.Add({{"err_type", "service_error"}}, service.service_errors);
  page.Begin("ratelimit_service_total_requests", MetricType::kCounter, kHelp);
  page.Add({{"grpc_method", "ShouldRateLimit"}}, service.should_rate_limit_requests);
  page.Begin("ratelimit_service_response_time_seconds", MetricType::kHistogram, kHelp);
  const Label method{"grpc_method", "ShouldRateLimit"};
  page.Add(Labels(&method, 1), service.should_rate_limit_duration);
  page.Begin("ratelimit_service_config_load_success", MetricType::kCounter, kHelp);
  page.Add({}, service.config_load_success);
  page.Begin("ratelimit_service_config_load_error", MetricType::kCounter, kHelp);
  page.Add({}, service.config_load_error);
  page.Begin("ratelimit_service_global_shadow_mode", MetricType::kCounter, kHelp);
  page.Add({}, service.global_shadow_mode);
}

// The over-limit cache's gauges, as far as there is something to say of them here.
void WriteLocalCache(Engines engines, Exposition& page) {
  std::uint64_t lookups = 0;
  std::uint64_t hits = 0;
  std::uint64_t entries = 0;
  std::uint64_t evictions = 0;
  bool on = false;
  for (const Engine* engine : engines) {
    const HeldDenials* const held = engine->held_denials();
    if (held == nullptr) continue;
    on = true;
    const Engine::LoopTotals totals = engine->Loops();
    lookups += totals.held_lookups;
    hits += totals.held_hits;
    entries += held->taken();
    evictions += held->evictions();
  }
  if (!on) return;
  const std::array<std::pair<std::string_view, std::uint64_t>, 5> gauges = {
      {{"lookupCount", lookups},
       {"hitCount", hits},
       {"missCount", lookups - std::min(hits, lookups)},
       {"entryCount", entries},
       {"evacuateCount", evictions}}};
  for (const auto& [name, value] : gauges) {
    page.Begin("ratelimit_localcache_" + std::string(name), MetricType::kGauge, kHelp);
    page.Add({}, value);
  }
}

}  // namespace

std::string SanitizeStatKey(std::string_view key) {
  std::string out(ClipText(key, kLongestStatKey));
  std::replace(out.begin(), out.end(), ':', '_');
  std::replace(out.begin(), out.end(), '|', '_');
  for (std::size_t at = 0; at < out.size();) {
    const std::size_t end = IsDigit(out[at]) ? AddressEnd(out, at) : at;
    if (end == at) {
      ++at;
      continue;
    }
    std::replace(out.begin() + static_cast<std::ptrdiff_t>(at),
                 out.begin() + static_cast<std::ptrdiff_t>(end), '.', '_');
    at = end;
  }
  return out;
}

ReferenceLabels LabelsOfStatKey(std::string_view sanitized) {
  ReferenceLabels labels;
  for (std::string* label : {&labels.domain, &labels.key1, &labels.key2}) {
    const std::size_t dot = sanitized.find('.');
    *label = sanitized.substr(0, dot);
    if (dot == std::string_view::npos) break;
    sanitized.remove_prefix(dot + 1);
  }
  return labels;
}

std::map<std::string, RuleTotals, std::less<>> TotalsByStatKey(Engines engines) {
  std::map<std::string, RuleTotals, std::less<>> totals;
  for (const Engine* engine : engines) {
    const std::shared_ptr<const Engine::InForce> rules = engine->in_force().Get();
    for (const Rule* rule : rules->policy->rules()) {
      if (rule->unlimited) continue;
      const RuleTotals counted = rules->counters[rule->index]->Totals();
      const Policy::NodeIndex domain = rules->policy->FindDomain(rule->domain);
      // Nobody wrote this one; it would stand there under the domain's bare name.
      if (rule == &rules->policy->OverrideRule(domain) && counted == RuleTotals{}) continue;
      totals[SanitizeStatKey(rule->stat_key)] += counted;
    }
    for (const auto& [key, counts] : engine->Named()) totals[SanitizeStatKey(key)] += counts;
  }
  return totals;
}

void WriteReferenceMetrics(Engines engines, const ReferenceServiceCounts& service,
                           Exposition& page) {
  BySeries series;
  std::map<std::string, std::uint64_t, std::less<>> unmapped;
  for (const auto& [key, totals] : TotalsByStatKey(engines)) {
    ReferenceLabels labels = LabelsOfStatKey(key);
    if (key == NamedCounters::kOther) labels.key1 = key;
    const std::string base = std::string(kPrefix) + key + "_";
    if (labels.key1.empty()) {
      for (const Family& family : kMapped) {
        if (totals.*family.count == 0) continue;
        unmapped[MetricName(base + std::string(family.suffix))] += totals.*family.count;
      }
    } else {
      series[std::move(labels)] += totals;
    }
    if (totals.over_limit_with_local_cache > 0) {
      unmapped[MetricName(base + "over_limit_with_local_cache")] +=
          totals.over_limit_with_local_cache;
    }
  }
  for (const Engine* engine : engines) {
    for (const auto& [domain, count] : engine->DomainsNotFound()) {
      unmapped[MetricName(std::string(kPrefix) + SanitizeStatKey(domain) + "_domain_not_found")] +=
          count;
    }
  }
  WriteRules(series, page);
  WriteService(service, page);
  WriteLocalCache(engines, page);
  WriteUnmapped(unmapped, page);
}

}  // namespace weir::observe
