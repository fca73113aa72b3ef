#include "cli/simulation_text.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/quota_text.h"
#include "weir/config/quantity.h"

namespace weir::cli {
namespace {

using std::chrono::seconds;

std::string ScenarioLine(const sim::Scenario& scenario) {
  const Quota quota = MakeQuota(scenario.quota).value();
  std::string out = fmt::format("{} instances, {} per tenant ({}", scenario.instances,
                                QuotaText(quota), NameOf(quota.algorithm));
  if (quota.algorithm == Algorithm::kTokenBucket) out += fmt::format(", burst {}", quota.burst);
  out += ");";
  constexpr std::size_t kShown = 6;
  for (std::size_t i = 0; i < scenario.tenants.size() && i < kShown; ++i) {
    const sim::Tenant& tenant = scenario.tenants[i];
    out += fmt::format(" {} {:g}/s", tenant.name, tenant.per_second);
    if (tenant.pinned) out += fmt::format(" (to instance {})", *tenant.pinned);
  }
  if (scenario.tenants.size() > kShown) {
    out += fmt::format(" and {} more", scenario.tenants.size() - kShown);
  }
  for (const sim::Fault& fault : scenario.faults) {
    out += fmt::format("; {} {} to {}", sim::NameOf(fault.kind), weir::DurationText(fault.from),
                       weir::DurationText(fault.to));
  }
  return out + fmt::format("; seed {}\n", scenario.seed);
}

// Eighths of a block, by the share of `most`; nothing is a dot that can be seen.
std::string_view BlockOf(std::uint32_t value, std::uint32_t most) {
  static constexpr std::array<std::string_view, 9> kBlocks = {" ", "▁", "▂", "▃", "▄",
                                                              "▅", "▆", "▇", "█"};
  if (value == 0 || most == 0) return kBlocks[0];
  return kBlocks.at(std::clamp<std::size_t>(std::size_t{value} * 8 / most, 1, 8));
}

// A character for each second, or for several where the run is long.
std::string StripOf(const std::vector<std::uint32_t>& by_second, std::uint32_t most) {
  constexpr std::size_t kWidest = 100;
  const std::size_t step = (by_second.size() + kWidest - 1) / kWidest;
  std::string out;
  for (std::size_t at = 0; at < by_second.size(); at += step) {
    const std::size_t end = std::min(at + step, by_second.size());
    std::uint32_t peak = 0;
    for (std::size_t i = at; i < end; ++i) peak = std::max(peak, by_second[i]);
    out += BlockOf(peak, most);
  }
  return out;
}

std::uint32_t PeakOf(const sim::SimulationResult& result, const sim::Scenario& scenario) {
  const sim::Scenario::Span outage = scenario.Outage();
  std::uint32_t peak = 0;
  for (std::size_t i = 0; i < result.admitted_by_second.size(); ++i) {
    const Duration t = seconds(i);
    if (t >= outage.from && t < outage.to) peak = std::max(peak, result.admitted_by_second[i]);
  }
  return peak;
}

struct Sums {
  std::uint64_t sent = 0;
  std::uint64_t ideal = 0;
  std::uint64_t wrongly_admitted = 0;
  std::uint64_t wrongly_denied = 0;

  explicit Sums(const sim::SimulationResult& result) {
    for (const sim::TenantResult& tenant : result.tenants) {
      sent += tenant.outage_sent;
      ideal += tenant.outage_ideal;
      wrongly_admitted += tenant.wrongly_admitted();
      wrongly_denied += tenant.wrongly_denied();
    }
  }
};

void AppendStrips(std::span<const SimulatedMode> modes, std::string& out) {
  std::uint32_t most = 0;
  for (const SimulatedMode& mode : modes) {
    for (const std::uint32_t n : mode.result.offered_by_second) most = std::max(most, n);
  }
  out += fmt::format("\nadmitted per second, full block = {}\n", most);
  for (const SimulatedMode& mode : modes) {
    out += fmt::format(" {:<12} {}\n", mode.name, StripOf(mode.result.admitted_by_second, most));
  }
}

void AppendModes(const sim::Scenario& scenario, std::span<const SimulatedMode> modes,
                 std::string& out) {
  const Sums offered(modes.front().result);
  out += fmt::format("\nin the outage: {} sent, {} of them within limits\n", offered.sent,
                     offered.ideal);
  out += fmt::format(" {:<12} {:>9} {:>9} {:>9} {:>7} {:>12} {:>13} {:>12}\n", "mode", "admitted",
                     "wrongly", "wrongly", "peak", "seconds", "first second", "recovered");
  out += fmt::format(" {:<12} {:>9} {:>9} {:>9} {:>7} {:>12} {:>13} {:>12}\n", "", "", "admitted",
                     "denied", "/s", "unprotected", "after", "after");
  for (const SimulatedMode& mode : modes) {
    const Sums sums(mode.result);
    const double recovered = std::chrono::duration<double>(mode.result.recovered_after).count();
    out += fmt::format(" {:<12} {:>9} {:>9} {:>9} {:>7} {:>12} {:>13} {:>12}\n", mode.name,
                       mode.result.admitted_in_outage(), sums.wrongly_admitted, sums.wrongly_denied,
                       PeakOf(mode.result, scenario), mode.result.seconds_unprotected,
                       mode.result.first_second_after, fmt::format("{:.1f} s", recovered));
  }
}

void AppendTenants(std::span<const SimulatedMode> modes, std::string& out) {
  constexpr std::size_t kShown = 20;
  out += fmt::format("\n {:<12} {:<14} {:>9} {:>9} {:>9} {:>9} {:>11}\n", "mode", "tenant", "sent",
                     "admitted", "wrongly", "wrongly", "mean rate");
  out += fmt::format(" {:<12} {:<14} {:>9} {:>9} {:>9} {:>9} {:>11}\n", "", "", "", "", "admitted",
                     "denied", "error");
  for (const SimulatedMode& mode : modes) {
    const auto& tenants = mode.result.tenants;
    for (std::size_t i = 0; i < tenants.size() && i < kShown; ++i) {
      const sim::TenantResult& tenant = tenants[i];
      out +=
          fmt::format(" {:<12} {:<14} {:>9} {:>9} {:>9} {:>9} {:>10.1f}%\n", mode.name, tenant.name,
                      tenant.outage_sent, tenant.outage_admitted, tenant.wrongly_admitted(),
                      tenant.wrongly_denied(), 100 * tenant.rate_error);
    }
    if (tenants.size() > kShown) {
      out += fmt::format(" {:<12} ... and {} more (-o json shows all)\n", mode.name,
                         tenants.size() - kShown);
    }
  }
}

}  // namespace

std::string SimulationText(const sim::Scenario& scenario, std::span<const SimulatedMode> modes) {
  std::string out = ScenarioLine(scenario);
  AppendStrips(modes, out);
  AppendModes(scenario, modes, out);
  AppendTenants(modes, out);
  return out;
}

std::string SimulationJson(const sim::Scenario& scenario, std::span<const SimulatedMode> modes) {
  using nlohmann::ordered_json;
  const Quota quota = MakeQuota(scenario.quota).value();
  ordered_json out = {{"schema", "weir.simulate/1"},
                      {"scenario", scenario.name},
                      {"seed", scenario.seed},
                      {"instances", scenario.instances},
                      {"limit", quota.limit},
                      {"window_ms", quota.window / std::chrono::milliseconds(1)},
                      {"algorithm", NameOf(quota.algorithm)}};
  for (const SimulatedMode& mode : modes) {
    const sim::SimulationResult& result = mode.result;
    ordered_json row = {
        {"mode", mode.name},
        {"decisions", result.decisions},
        {"admitted_in_outage", result.admitted_in_outage()},
        {"unavailable", result.unavailable},
        {"seconds_unprotected", result.seconds_unprotected},
        {"first_second_after", result.first_second_after},
        {"recovered_after_ms",
         std::chrono::ceil<std::chrono::milliseconds>(result.recovered_after).count()},
        {"longest_wait_us",
         std::chrono::ceil<std::chrono::microseconds>(result.longest_wait).count()},
        {"ambiguous", result.ambiguous},
        {"hand_backs", result.hand_backs}};
    for (const sim::TenantResult& tenant : result.tenants) {
      row["tenants"].push_back({{"tenant", tenant.name},
                                {"sent", tenant.sent},
                                {"admitted", tenant.admitted},
                                {"outage_sent", tenant.outage_sent},
                                {"outage_admitted", tenant.outage_admitted},
                                {"outage_within_limits", tenant.outage_ideal},
                                {"wrongly_admitted", tenant.wrongly_admitted()},
                                {"wrongly_denied", tenant.wrongly_denied()},
                                {"mean_rate_error", tenant.rate_error}});
    }
    row["offered_by_second"] = result.offered_by_second;
    row["admitted_by_second"] = result.admitted_by_second;
    out["modes"].push_back(std::move(row));
  }
  return out.dump(2) + "\n";
}

}  // namespace weir::cli
