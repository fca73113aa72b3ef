#include "observe/engine_metrics.h"

#include <array>
#include <map>
#include <set>
#include <utility>

#include "observe/civil_date.h"

namespace weir::observe {
namespace {

constexpr std::size_t kBases = 9;

double SecondsOf(Duration d) {
  return std::chrono::duration<double>(d).count();
}

// Decisions by the words of the label `mode`, several bases sharing one.
using ByMode = std::map<std::string_view, std::uint64_t>;

ByMode SumByMode(const std::array<std::uint64_t, kBases>& by_basis) {
  ByMode sums;
  for (std::size_t i = 0; i < by_basis.size(); ++i) {
    sums[ModeOf(static_cast<Basis>(i))] += by_basis.at(i);
  }
  return sums;
}

void AddDecisions(const RuleReading& r, std::string_view decision, const ByMode& by_mode,
                  Exposition& page) {
  for (const auto& [mode, count] : by_mode) {
    // Only the ordinary mode exists from the start: the others would multiply the series by eight.
    if (count == 0 && mode != ModeOf(Basis::kStore)) continue;
    page.Add({{"domain", r.rule->domain}, {"rule", r.name}, {"decision", decision}, {"mode", mode}},
             count);
  }
}

// Nobody wrote the rule of overrides: it appears once a request brought a limit along.
bool IsShown(const RuleReading& r) {
  if (r.for_overrides && r.totals == RuleTotals{}) return false;
  return !r.rule->unlimited;
}

void WriteDecisions(const RulesReading& reading, Exposition& page) {
  page.Begin("weir_decisions_total", MetricType::kCounter,
             "Decisions by the rule that was binding, and by what they rested on.");
  for (const RuleReading& r : reading.rules) {
    if (!IsShown(r)) continue;
    AddDecisions(r, "allow", SumByMode(r.totals.allowed), page);
    AddDecisions(r, "deny", SumByMode(r.totals.denied), page);
    AddDecisions(r, "shadow_deny", {{ModeOf(Basis::kStore), r.totals.shadow_denied}}, page);
  }
}

struct Kind {
  std::string_view word;
  std::uint64_t RuleTotals::*count;
};
constexpr std::array<Kind, 6> kKinds = {
    {{"total", &RuleTotals::total_hits},
     {"over", &RuleTotals::over_limit},
     {"near", &RuleTotals::near_limit},
     {"within", &RuleTotals::within_limit},
     {"shadow", &RuleTotals::shadow_mode},
     {"over_with_local_cache", &RuleTotals::over_limit_with_local_cache}}};

void WriteHits(const RulesReading& reading, Exposition& page) {
  page.Begin("weir_rule_hits_total", MetricType::kCounter,
             "Hits on a rule. total = within + over; the other kinds are parts of those two.");
  for (const RuleReading& r : reading.rules) {
    if (!IsShown(r)) continue;
    for (const Kind& kind : kKinds) {
      page.Add({{"domain", r.rule->domain}, {"rule", r.name}, {"kind", kind.word}},
               r.totals.*kind.count);
    }
  }
  page.Begin("weir_near_limit_total", MetricType::kCounter,
             "Hits above the near ratio of a rule's limit, but within it.");
  for (const RuleReading& r : reading.rules) {
    if (!IsShown(r)) continue;
    page.Add({{"domain", r.rule->domain}, {"rule", r.name}}, r.totals.near_limit);
  }
}

void WriteRules(const RulesReading& reading, const Now& now, Exposition& page) {
  std::map<std::string_view, std::uint64_t> by_domain;
  for (const DomainRules& domain : reading.policy->domains()) by_domain[domain.name] = 0;
  for (const RuleReading& r : reading.rules) {
    if (!r.for_overrides) ++by_domain[r.rule->domain];
  }
  page.Begin("weir_rules", MetricType::kGauge, "Rules in force.");
  for (const auto& [domain, count] : by_domain) page.Add({{"domain", domain}}, count);

  const std::string today = DateOf(now.wall);
  page.Begin("weir_rule_review_overdue", MetricType::kGauge,
             "1 once the day of a rule's review_by has passed.");
  for (const RuleReading& r : reading.rules) {
    const std::string& by = r.rule->annotations.review_by;
    if (by.empty()) continue;
    page.Add({{"domain", r.rule->domain}, {"rule", r.name}}, std::uint64_t{by < today ? 1U : 0U});
  }
}

// Of the domains that any engine knows, and under kOtherDomains of all others together.
constexpr std::string_view kOtherDomains = "__other__";
using ByDomain = std::map<std::string, DomainTotals, std::less<>>;

ByDomain ReadDomains(Engines engines) {
  ByDomain domains;
  DomainTotals& others = domains[std::string(kOtherDomains)];
  for (const Engine* engine : engines) {
    for (const auto& [name, totals] : engine->Domains()) domains[name] += totals;
    others += engine->Loops().elsewhere;
  }
  return domains;
}

void WriteDomains(const ByDomain& domains, const ServiceCounts& service, Exposition& page) {
  std::array<bool, kTransports> shown{};
  for (std::size_t i = 0; i < kTransports; ++i) {
    const std::string_view name = NameOf(static_cast<Transport>(i));
    for (const TransportCounts& t : service.transports) shown.at(i) |= t.name == name;
    for (const auto& [domain, totals] : domains) shown.at(i) |= totals.requests.at(i) != 0;
  }
  page.Begin("weir_requests_total", MetricType::kCounter, "Requests that were decided.");
  for (const auto& [domain, totals] : domains) {
    for (std::size_t i = 0; i < kTransports; ++i) {
      if (!shown.at(i)) continue;
      page.Add({{"domain", domain}, {"transport", NameOf(static_cast<Transport>(i))}},
               totals.requests.at(i));
    }
  }
  page.Begin("weir_unmatched_total", MetricType::kCounter,
             "Descriptors of a known domain that no rule applied to: allowed, not counted.");
  for (const auto& [domain, totals] : domains) {
    if (domain != kOtherDomains) page.Add({{"domain", domain}}, totals.unmatched);
  }
}

void WriteRequests(Engines engines, const ServiceCounts& service, Exposition& page) {
  WriteDomains(ReadDomains(engines), service, page);
  page.Begin("weir_decision_duration_seconds", MetricType::kHistogram,
             "From a request's last byte to its answer.");
  for (const TransportCounts& t : service.transports) {
    const Label transport{"transport", t.name};
    page.Add(Labels(&transport, 1), t.decisions);
  }
  Engine::LoopTotals loops;
  for (const Engine* engine : engines) {
    const Engine::LoopTotals more = engine->Loops();
    loops.requests += more.requests;
    loops.unmatched += more.unmatched;
    loops.unknown_domain += more.unknown_domain;
  }
  page.Begin("weir_checks_total", MetricType::kCounter, "Requests matched against the policy.");
  page.Add({}, loops.requests);
  page.Begin("weir_unknown_domain_total", MetricType::kCounter,
             "Requests for a domain that no policy has: allowed, not counted.");
  page.Add({}, loops.unknown_domain);
}

void WriteConfig(const Policy& policy, const ConfigCounts& config, Exposition& page) {
  page.Begin("weir_config_last_reload_successful", MetricType::kGauge,
             "1 if the policy read last is in force, 0 if it was refused.");
  page.Add({}, std::uint64_t{config.last_reload_ok ? 1U : 0U});
  page.Begin("weir_config_last_reload_success_timestamp_seconds", MetricType::kGauge,
             "When a policy was last taken into force, in Unix time.");
  page.Add({}, SecondsOf(config.last_success.time_since_epoch()));
  page.Begin("weir_config_loads_total", MetricType::kCounter, "Policies read, by what came of it.");
  page.Add({{"result", "success"}}, config.loads_ok);
  page.Add({{"result", "error"}}, config.loads_failed);
  page.Begin("weir_config_info", MetricType::kGauge, "The policy in force.");
  page.Add({{"sha256", policy.options().fingerprint},
            {"generation", std::to_string(policy.options().generation)}},
           std::uint64_t{1});
}

void WriteKeyTable(const MemoryStore& store, Exposition& page) {
  page.Begin("weir_key_table_entries", MetricType::kGauge,
             "Keys alive at the last sweep of the table, up to two minutes ago.");
  page.Add({}, std::uint64_t{store.keys()});
  page.Begin("weir_key_table_bytes", MetricType::kGauge, "Address space of the table.");
  page.Add({}, std::uint64_t{store.bytes()});
  page.Begin("weir_key_table_evictions_total", MetricType::kCounter,
             "Live keys forgotten because the table was full where they belonged.");
  page.Add({{"reason", "capacity"}}, store.evictions());
}

void WriteFallbacks(Engines engines, const RulesReading& reading, Exposition& page) {
  // A rule that is no longer in force keeps its id.
  std::map<std::string_view, std::string_view> names;
  for (const RuleReading& r : reading.rules) names.emplace(r.rule->id, r.name);
  std::map<Fallback, std::uint64_t> totals;
  for (const Engine* engine : engines) {
    for (const auto& [what, count] : engine->Fallbacks()) totals[what] += count;
  }
  page.Begin("weir_fallback_total", MetricType::kCounter,
             "Hits that the store gave no count for, by what was done instead and why.");
  for (const auto& [what, count] : totals) {
    const auto name = names.find(what.rule);
    page.Add({{"domain", what.domain},
              {"rule", name == names.end() ? what.rule : name->second},
              {"mode", NameOf(what.basis)},
              {"cause", NameOf(what.cause)}},
             count);
  }
}

void WriteFleet(const StoreCounts& store, Exposition& page) {
  page.Begin("weir_live_instances", MetricType::kGauge,
             "Instances that share the limits, as this one believes.");
  page.Add({{"source", store.fleet_source}}, store.live_instances);
  page.Begin("weir_live_instances_age_seconds", MetricType::kGauge,
             "How long ago the source of that number last answered.");
  page.Add({}, SecondsOf(store.fleet_age));
  page.Begin("weir_live_instances_frozen", MetricType::kGauge,
             "1 while the source gives no answer and the last number stands.");
  page.Add({}, std::uint64_t{store.fleet_frozen ? 1U : 0U});
  page.Begin("weir_live_instances_stale", MetricType::kGauge,
             "1 when that number is too old to be trusted.");
  page.Add({}, std::uint64_t{store.fleet_stale ? 1U : 0U});
}

void WriteSharedStore(const StoreCounts& store, Exposition& page) {
  page.Begin("weir_store_up", MetricType::kGauge,
             "1 while the store's node is asked, 0 while its breaker is open.");
  for (const StoreNode& n : store.nodes) {
    page.Add({{"store", n.name}}, std::uint64_t{n.open ? 0U : 1U});
  }
  page.Begin("weir_store_breaker_opened_total", MetricType::kCounter,
             "How often the node's breaker opened.");
  for (const StoreNode& n : store.nodes) page.Add({{"store", n.name}}, n.times_opened);
  page.Begin("weir_store_breaker_open_seconds_total", MetricType::kCounter,
             "How long the node's breaker has been open in all.");
  for (const StoreNode& n : store.nodes) page.Add({{"store", n.name}}, SecondsOf(n.open_for));
  page.Begin("weir_store_clock_offset_seconds", MetricType::kGauge,
             "The store's clock minus this machine's.");
  for (const StoreNode& n : store.nodes) page.Add({{"store", n.name}}, SecondsOf(n.clock_offset));
  page.Begin("weir_store_findings", MetricType::kGauge,
             "1 while the store's latest survey found this.");
  for (const StoreNode& n : store.nodes) {
    for (const auto& [finding, found] : n.findings) {
      page.Add({{"store", n.name}, {"finding", finding}}, std::uint64_t{found ? 1U : 0U});
    }
  }
  page.Begin("weir_store_timeout_seconds", MetricType::kGauge, "How long a check may take.");
  page.Add({}, SecondsOf(store.timeout));
  struct Row {
    std::string_view name;
    std::string_view help;
    std::uint64_t value;
  };
  const Row rows[] = {
      {"weir_store_calls_total", "Script calls sent to the store.", store.calls},
      {"weir_store_checks_total", "Requests counted in them.", store.checks},
      {"weir_store_late_calls_total", "Calls not answered within the timeout.", store.late_calls},
      {"weir_store_late_answers_total", "Answers that nobody waited for any more.",
       store.late_answers},
      {"weir_store_ambiguous_hits_total",
       "Hits that the store may have counted and may not: counted here, never handed back.",
       store.ambiguous},
      {"weir_store_give_backs_lost_total",
       "Hits spent on one node for a request that was denied, not known to have been given back.",
       store.give_backs_lost},
      {"weir_store_hand_backs_total", "Keys whose debt of an outage reached the store.",
       store.hand_backs},
      {"weir_store_hand_backs_lost_total", "Of which that is not known; never repeated.",
       store.hand_backs_lost},
      {"weir_store_probes_total", "Calls that only asked whether the store is back.", store.probes},
      {"weir_ledger_dropped_total", "Debts of an outage forgotten for want of room.",
       store.ledger_dropped}};
  for (const Row& row : rows) {
    page.Begin(row.name, MetricType::kCounter, row.help);
    page.Add({}, row.value);
  }
  page.Begin("weir_ledger_keys", MetricType::kGauge, "Keys that owe the store something.");
  page.Add({}, store.ledger_keys);
  WriteFleet(store, page);
}

void WriteProcess(const ServiceCounts& service, Exposition& page) {
  page.Begin("weir_build_info", MetricType::kGauge, "The build that runs.");
  page.Add({{"version", service.version}, {"revision", service.revision}}, std::uint64_t{1});
  page.Begin("weir_loops", MetricType::kGauge, "Event loops that decide.");
  page.Add({}, service.loops);
  page.Begin("weir_loop_longest_turn_seconds", MetricType::kGauge,
             "The longest turn of any event loop since the start.");
  page.Add({}, SecondsOf(service.longest_turn));
  page.Begin("weir_decision_log_lines_total", MetricType::kCounter, "Decisions logged.");
  page.Add({}, service.decision_log.written);
  page.Begin("weir_decision_log_dropped_total", MetricType::kCounter,
             "Decisions chosen for the log and left out because of its bounds.");
  page.Add({}, service.decision_log.dropped);

  const ProcessFacts& p = service.process;
  page.Begin("process_cpu_seconds_total", MetricType::kCounter, "User and system CPU time.");
  page.Add({}, p.cpu_seconds);
  page.Begin("process_resident_memory_bytes", MetricType::kGauge, "Resident memory.");
  page.Add({}, p.resident_bytes);
  page.Begin("process_virtual_memory_bytes", MetricType::kGauge, "Virtual memory.");
  page.Add({}, p.virtual_bytes);
  page.Begin("process_open_fds", MetricType::kGauge, "Open file descriptors.");
  page.Add({}, p.open_fds);
  page.Begin("process_max_fds", MetricType::kGauge, "Most file descriptors that may be open.");
  page.Add({}, p.max_fds);
  page.Begin("process_start_time_seconds", MetricType::kGauge, "Start, in Unix time.");
  page.Add({}, SecondsOf(p.started.time_since_epoch()));
}

}  // namespace

std::string_view ModeOf(Basis basis) {
  return basis == Basis::kNoRule || basis == Basis::kStore ? "normal" : NameOf(basis);
}

RulesReading ReadRules(Engines engines) {
  const std::shared_ptr<const Engine::InForce> first = engines.front()->in_force().Get();
  const Policy& policy = *first->policy;
  RulesReading reading{.policy = first->policy, .rules = {}};
  std::set<const Rule*> for_overrides;
  for (const DomainRules& domain : policy.domains()) {
    for_overrides.insert(&policy.OverrideRule(policy.FindDomain(domain.name)));
  }
  std::map<std::pair<std::string_view, std::string_view>, int> uses;
  for (const Rule* rule : policy.rules()) ++uses[{rule->domain, rule->label()}];
  for (const Rule* rule : policy.rules()) {
    const bool unique = uses[{rule->domain, rule->label()}] == 1;
    reading.rules.push_back({.rule = rule,
                             .name = unique ? rule->label() : rule->id,
                             .totals = first->counters[rule->index]->Totals(),
                             .for_overrides = for_overrides.contains(rule)});
  }
  for (const Engine* engine : engines.subspan(1)) {
    const std::shared_ptr<const Engine::InForce> other = engine->in_force().Get();
    for (RuleReading& r : reading.rules) {
      const Rule* const same = other->policy->FindRule(r.rule->id);
      if (same != nullptr) r.totals += other->counters[same->index]->Totals();
    }
  }
  return reading;
}

void WriteEngineMetrics(Engines engines, const MemoryStore* store, const ServiceCounts& service,
                        const Now& now, Exposition& page) {
  const RulesReading reading = ReadRules(engines);
  WriteConfig(*reading.policy, service.config, page);
  WriteRequests(engines, service, page);
  if (service.store.nodes.empty()) {
    if (store != nullptr) WriteKeyTable(*store, page);
  } else {
    WriteSharedStore(service.store, page);
  }
  WriteProcess(service, page);
  // Last, so that the page's bound cuts a part of the rules and not what tells of the process.
  WriteFallbacks(engines, reading, page);
  WriteRules(reading, now, page);
  WriteDecisions(reading, page);
  WriteHits(reading, page);
}

}  // namespace weir::observe
