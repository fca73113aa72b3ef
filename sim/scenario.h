#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/fault.h"
#include "weir/core/failure_policy.h"
#include "weir/core/quota.h"

namespace weir::sim {

// One caller: requests at even distances, from time 0 on.
struct Tenant {
  std::string name;
  double per_second = 1;
  std::uint64_t cost = 1;
  // Which instance gets all of them; else they go round, or by `weights`.
  std::optional<std::size_t> pinned{};
  std::vector<double> weights{};  // One for each instance; empty: evenly.

  bool operator==(const Tenant&) const = default;
};

// Everything a run depends on: the same scenario and seed give the same result, to the byte.
struct Scenario {
  std::string name = "scenario";
  std::size_t instances = 4;  // At most kMostInstances.
  QuotaSpec quota{.limit = 50, .burst = 50, .unit = Unit::kSecond};
  FailurePolicy policy{};
  std::vector<Tenant> tenants;
  std::vector<Fault> faults;
  Duration length = std::chrono::seconds(60);
  std::uint32_t believed_instances = 0;  // 0: the truth.
  bool hand_back = true;
  Duration timeout = std::chrono::milliseconds(10);
  Duration latency = std::chrono::microseconds(200);  // To the store, one way.
  Duration jitter = std::chrono::microseconds(100);
  Duration store_ahead{};  // The store's clock before the instances'.
  std::uint64_t seed = 7;

  static constexpr std::size_t kMostInstances = 64;
  static constexpr std::size_t kMostTenants = 10'000;
  static constexpr std::uint64_t kMostRequests = 1'000'000'000;

  // From the first fault's beginning to the last one's end; empty without faults.
  struct Span {
    Duration from{};
    Duration to{};
  };
  Span Outage() const;
  std::uint64_t Requests() const;
};

// Nothing, or a sentence that says what cannot be run and why.
std::string WhatIsWrongWith(const Scenario& scenario);

// "running-example", ...; nothing for other names.
std::optional<Scenario> PresetNamed(std::string_view name);
std::vector<std::string_view> PresetNames();

}  // namespace weir::sim
