#include "sim/scenario.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace weir::sim {
namespace {

using std::chrono::seconds;

// Four instances, 50/s a customer; the store silent from 15 s to 45 s of 60.
Scenario RunningExample() {
  Scenario s;
  s.name = "running-example";
  s.policy.mode = FailureMode::kLocalShare;
  s.tenants = {{.name = "acme", .per_second = 120},
               {.name = "globex", .per_second = 20},
               {.name = "initech", .per_second = 5}};
  s.faults = {{.kind = FaultKind::kBlackhole, .from = seconds(15), .to = seconds(45)}};
  return s;
}

Scenario StickyBalancing() {
  Scenario s = RunningExample();
  s.name = "sticky-balancing";
  s.tenants[1].pinned = 0;
  return s;
}

Scenario SlowStore() {
  Scenario s = RunningExample();
  s.name = "slow-store";
  s.faults[0] = {.kind = FaultKind::kDelay,
                 .from = seconds(15),
                 .to = seconds(45),
                 .amount = std::chrono::milliseconds(200)};
  return s;
}

Scenario FlappingStore() {
  Scenario s = RunningExample();
  s.name = "flapping-store";
  s.faults.clear();
  for (int at = 15; at < 45; at += 6) {
    s.faults.push_back({.kind = FaultKind::kRefuse, .from = seconds(at), .to = seconds(at + 3)});
  }
  return s;
}

Scenario PartialPartition() {
  Scenario s = RunningExample();
  s.name = "partial-partition";
  s.faults[0].instances = 1;
  return s;
}

Scenario WindowEdge() {
  Scenario s = RunningExample();
  s.name = "window-edge";
  s.quota = {.algorithm = Algorithm::kFixedWindow, .limit = 50, .unit = Unit::kSecond};
  return s;
}

Scenario FewerThanInstances() {
  Scenario s = RunningExample();
  s.name = "limit-below-instances";
  s.quota = {.limit = 2, .burst = 2, .unit = Unit::kSecond};
  return s;
}

struct Preset {
  std::string_view name;
  Scenario (*make)();
};
constexpr std::array<Preset, 7> kPresets = {{{"running-example", &RunningExample},
                                             {"sticky-balancing", &StickyBalancing},
                                             {"slow-store", &SlowStore},
                                             {"flapping-store", &FlappingStore},
                                             {"partial-partition", &PartialPartition},
                                             {"window-edge", &WindowEdge},
                                             {"limit-below-instances", &FewerThanInstances}}};

}  // namespace

Scenario::Span Scenario::Outage() const {
  if (faults.empty()) return {};
  Span span{faults.front().from, faults.front().to};
  for (const Fault& fault : faults) {
    span.from = std::min(span.from, fault.from);
    span.to = std::max(span.to, fault.to);
  }
  span.to = std::min(span.to, length);
  return span;
}

std::uint64_t Scenario::Requests() const {
  const double seconds_long = std::chrono::duration<double>(length).count();
  return std::accumulate(tenants.begin(), tenants.end(), std::uint64_t{0},
                         [&](std::uint64_t sum, const Tenant& tenant) {
                           return sum +
                                  static_cast<std::uint64_t>(tenant.per_second * seconds_long);
                         });
}

std::string WhatIsWrongWith(const Scenario& scenario) {
  if (scenario.instances < 1 || scenario.instances > Scenario::kMostInstances) {
    return "instances: from 1 to 64";
  }
  if (scenario.tenants.empty()) return "no tenants: nobody asks anything";
  if (scenario.tenants.size() > Scenario::kMostTenants) return "tenants: at most 10,000";
  if (scenario.length <= Duration{}) return "length: more than 0";
  for (const Tenant& tenant : scenario.tenants) {
    if (!(tenant.per_second > 0) || tenant.per_second > 1e7) {
      return "tenant " + tenant.name + ": from above 0 to 10 million requests a second";
    }
    if (tenant.pinned && *tenant.pinned >= scenario.instances) {
      return "tenant " + tenant.name + ": pinned to an instance that does not exist";
    }
    if (!tenant.weights.empty() && tenant.weights.size() != scenario.instances) {
      return "tenant " + tenant.name + ": one weight for each instance";
    }
  }
  if (scenario.Requests() > Scenario::kMostRequests) {
    return "more than 1,000,000,000 requests: lower the rates or the length";
  }
  const Result<Quota, std::string> quota = MakeQuota(scenario.quota);
  return quota ? std::string() : "limit: " + quota.error();
}

std::optional<Scenario> PresetNamed(std::string_view name) {
  for (const Preset& preset : kPresets) {
    if (preset.name == name) return preset.make();
  }
  return std::nullopt;
}

std::vector<std::string_view> PresetNames() {
  std::vector<std::string_view> names;
  names.reserve(kPresets.size());
  for (const Preset& preset : kPresets) names.push_back(preset.name);
  return names;
}

}  // namespace weir::sim
