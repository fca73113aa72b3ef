#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/policy_files.h"
#include "cli/scenario_file.h"
#include "cli/simulation_text.h"
#include "cli/verbs.h"
#include "weir/config/quantity.h"
#include "weir/config/render.h"

namespace weir::cli {
namespace {

constexpr std::size_t kMostScenarioBytes = std::size_t{1} << 20;
constexpr std::array<FailureMode, 4> kModes = {FailureMode::kOpen, FailureMode::kClosed,
                                               FailureMode::kLocalShare, FailureMode::kStatic};

struct Flags {
  std::string file;
  std::string preset;
  std::string mode;
  std::string split;
  std::vector<std::string> pins;
  std::vector<std::string> tenants;
  std::string limit;
  std::uint64_t burst = 0;
  std::string algorithm;
  std::uint64_t instances = 0;
  std::uint64_t believed = 0;
  std::string outage;
  std::string fault;
  std::string length;
  std::optional<std::uint64_t> seed;
  bool no_hand_back = false;
  std::string format = "text";
};

// "15s-45s", also "15-45" in seconds.
std::optional<sim::Scenario::Span> ParseSpan(const std::string& text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string::npos) return std::nullopt;
  const auto half = [](std::string part) {
    if (!part.empty() && part.find_first_not_of("0123456789.") == std::string::npos) part += "s";
    return ParseDuration(part);
  };
  const auto from = half(text.substr(0, dash));
  const auto to = half(text.substr(dash + 1));
  if (!from || !to || *to <= *from) return std::nullopt;
  return sim::Scenario::Span{*from, *to};
}

std::string ApplyTenants(const Flags& flags, sim::Scenario& scenario) {
  if (!flags.tenants.empty()) scenario.tenants.clear();
  for (const std::string& text : flags.tenants) {
    const std::size_t equals = text.find('=');
    const std::string number = equals == std::string::npos ? "" : text.substr(equals + 1);
    char* end = nullptr;
    const double rate = std::strtod(number.c_str(), &end);
    const bool whole = end == number.c_str() + number.size();
    if (equals == 0 || !whole || !(rate > 0)) {
      return "--tenant " + text + ": write NAME=REQUESTS_A_SECOND, as in acme=120";
    }
    scenario.tenants.push_back({.name = text.substr(0, equals), .per_second = rate});
  }
  for (const std::string& text : flags.pins) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    std::optional<std::uint64_t> instance = 0;
    if (equals != std::string::npos) instance = ParseCount(text.substr(equals + 1));
    if (!instance) return "--pin " + text + ": write NAME or NAME=INSTANCE";
    bool found = false;
    for (sim::Tenant& tenant : scenario.tenants) {
      if (tenant.name != name) continue;
      tenant.pinned = *instance;
      found = true;
    }
    if (!found) return "--pin " + name + ": there is no such tenant";
  }
  return {};
}

std::string ApplyLimit(const Flags& flags, sim::Scenario& scenario) {
  if (!flags.limit.empty()) {
    const auto rate = ParseRate(flags.limit);
    if (!rate) return "--limit " + flags.limit + ": write it like 50/s, 1000/day or 20/10s";
    scenario.quota.limit = rate->count;
    scenario.quota.window = rate->per;
    scenario.quota.unit = Unit::kUnknown;
    scenario.quota.burst = 0;
  }
  for (const Algorithm a :
       {Algorithm::kTokenBucket, Algorithm::kFixedWindow, Algorithm::kSlidingWindow}) {
    if (flags.algorithm != NameOf(a)) continue;
    scenario.quota.algorithm = a;
    if (a != Algorithm::kTokenBucket) scenario.quota.burst = 0;
  }
  if (flags.burst != 0) scenario.quota.burst = flags.burst;
  return {};
}

std::string ApplyOutage(const Flags& flags, sim::Scenario& scenario) {
  if (!flags.outage.empty()) {
    const auto span = ParseSpan(flags.outage);
    if (!span) return "--outage " + flags.outage + ": write it like 15s-45s";
    const sim::FaultKind kind =
        scenario.faults.empty() ? sim::FaultKind::kBlackhole : scenario.faults.front().kind;
    scenario.faults = {{.kind = kind, .from = span->from, .to = span->to}};
  }
  if (!flags.fault.empty()) {
    const std::size_t colon = flags.fault.find(':');
    const auto kind = sim::ParseFaultKind(flags.fault.substr(0, colon));
    if (!kind) {
      std::string known;
      for (std::size_t k = 0; k < sim::kFaultKinds; ++k) {
        known += (k == 0 ? "" : ", ") + std::string(sim::NameOf(static_cast<sim::FaultKind>(k)));
      }
      return "--fault " + flags.fault + ": one of " + known;
    }
    std::optional<Duration> amount = Duration{};
    if (colon != std::string::npos) amount = ParseDuration(flags.fault.substr(colon + 1));
    if (!amount) return "--fault " + flags.fault + ": write it like delay:200ms";
    for (sim::Fault& fault : scenario.faults) {
      fault.kind = *kind;
      fault.amount = *amount;
    }
  }
  if (!flags.length.empty()) {
    const auto length = ParseDuration(flags.length);
    if (!length) return "--length " + flags.length + ": write it like 60s or 10m";
    scenario.length = *length;
  }
  return {};
}

// Empty, or what is wrong with the flags.
std::string Apply(const Flags& flags, sim::Scenario& scenario) {
  if (flags.instances != 0) scenario.instances = flags.instances;
  if (flags.believed != 0) scenario.believed_instances = static_cast<std::uint32_t>(flags.believed);
  if (flags.seed) scenario.seed = *flags.seed;
  if (flags.no_hand_back) scenario.hand_back = false;
  if (!flags.split.empty()) {
    scenario.policy.split = flags.split == "learned" ? ShareSplit::kLearned : ShareSplit::kEven;
  }
  for (auto* apply : {&ApplyLimit, &ApplyTenants, &ApplyOutage}) {
    if (std::string error = apply(flags, scenario); !error.empty()) return error;
  }
  return sim::WhatIsWrongWith(scenario);
}

int Simulate(const Flags& flags) {
  const auto preset = sim::PresetNamed(flags.preset);
  if (!preset) {
    std::string known;
    for (const std::string_view name : sim::PresetNames()) known += "\n  " + std::string(name);
    return UsageError("simulate", "there is no preset " + flags.preset + "; there are:" + known);
  }
  sim::Scenario scenario = *preset;
  bool mode_written = false;
  if (!flags.file.empty()) {
    auto text = ReadWholeFile(flags.file, kMostScenarioBytes);
    if (!text) {
      PrintError("weir simulate: " + text.error().message + "\n");
      return kExitCannotStart;
    }
    const std::vector<SourceFile> files = {{flags.file, *std::move(text)}};
    LoadedScenario loaded = LoadScenario(files[0], scenario);
    if (!loaded.diagnostics.empty()) PrintError(RenderText(loaded.diagnostics, files));
    if (!loaded.ok()) return kExitCannotStart;
    scenario = std::move(loaded.scenario);
    mode_written = true;
  }
  if (const std::string error = Apply(flags, scenario); !error.empty()) {
    return UsageError("simulate", error);
  }
  std::vector<FailureMode> modes(kModes.begin(), kModes.end());
  if (const auto one = ParseFailureMode(flags.mode)) {
    modes = {*one};
  } else if (flags.mode.empty() && mode_written) {
    modes = {scenario.policy.mode};
  }
  std::vector<SimulatedMode> runs;
  for (const FailureMode mode : modes) {
    scenario.policy.mode = mode;
    runs.push_back({NameOf(mode), sim::Simulate(scenario)});
  }
  Print(flags.format == "json" ? SimulationJson(scenario, runs) : SimulationText(scenario, runs));
  return kExitDone;
}

}  // namespace

void AddSimulate(CLI::App& app, int& exit) {
  CLI::App* const verb = app.add_subcommand(
      "simulate", "What an outage of the store would do, mode by mode, in virtual time");
  const auto flags = std::make_shared<Flags>();
  flags->preset = "running-example";
  verb->add_option("scenario", flags->file, "A scenario; flags go before what it says")
      ->type_name("FILE");
  verb->add_option("--preset", flags->preset, "What to begin from")->type_name("NAME");
  verb->add_option("--mode", flags->mode, "open, closed, local_share, static or all")
      ->type_name("MODE")
      ->check(CLI::IsMember({"all", "open", "closed", "local_share", "static"}));
  verb->add_option("--split", flags->split, "How local_share divides a limit: even or learned")
      ->type_name("SPLIT")
      ->check(CLI::IsMember({"even", "learned"}));
  verb->add_option("--tenant", flags->tenants, "Who asks, and how often a second; repeatable")
      ->type_name("NAME=RATE");
  verb->add_option("--pin", flags->pins, "A tenant whose requests all go to one instance")
      ->type_name("NAME[=I]");
  verb->add_option("--limit", flags->limit, "The limit of each tenant")->type_name("N/UNIT");
  verb->add_option("--burst", flags->burst, "The most that passes at once")->type_name("N");
  verb->add_option("--algorithm", flags->algorithm, "token_bucket, fixed_window or sliding_window")
      ->type_name("NAME")
      ->check(CLI::IsMember({"token_bucket", "fixed_window", "sliding_window"}));
  verb->add_option("--instances", flags->instances, "How many there are")->type_name("N");
  verb->add_option("--believed-instances", flags->believed, "How many they believe there are")
      ->type_name("N");
  verb->add_option("--outage", flags->outage, "When the store fails, as in 15s-45s")
      ->type_name("FROM-TO");
  verb->add_option("--fault", flags->fault, "How it fails: blackhole, refuse, delay:200ms, ...")
      ->type_name("KIND");
  verb->add_option("--length", flags->length, "How long the run is")->type_name("TIME");
  verb->add_option("--seed", flags->seed, "The same seed gives the same bytes")->type_name("N");
  verb->add_flag("--no-hand-back", flags->no_hand_back,
                 "Forget what was admitted without the store");
  verb->add_option("-o,--output", flags->format, "text or json")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "json"}))
      ->group("Output");
  verb->footer(
      "Examples\n"
      "  weir simulate\n"
      "  weir simulate --pin globex --split learned --mode local_share\n"
      "  weir simulate --limit 1000/minute --tenant acme=40 --outage 10s-20s --fault delay:200ms");
  verb->callback([&exit, flags] { exit = Simulate(*flags); });
}

}  // namespace weir::cli
