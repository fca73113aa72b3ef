#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "observe/histogram.h"
#include "observe/reference_metrics.h"
#include "weir/base/clock.h"

namespace weir::observe {

// What a process counts beside its engine, as plain values: whoever wires the process together
// fills this in when somebody looks.

struct ConfigCounts {
  bool last_reload_ok = true;
  std::uint64_t loads_ok = 0;
  std::uint64_t loads_failed = 0;
  WallTime last_success{};
};

struct TransportCounts {
  std::string name;  // "grpc", "http", "gateway", "library".
  std::uint64_t requests = 0;
  HistogramTotals decisions;  // From a request's last byte to its answer's first.
};

struct DecisionLogCounts {
  std::uint64_t written = 0;
  std::uint64_t dropped = 0;  // Chosen, but beyond the bound on lines a second or on the queue.
};

// The kernel's account of this process.
struct ProcessFacts {
  double cpu_seconds = 0;
  std::uint64_t resident_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t open_fds = 0;
  std::uint64_t max_fds = 0;
  WallTime started{};
};

// One node of a shared store, as one instance knows it.
struct StoreNode {
  std::string name;
  bool open = false;  // Its breaker: nothing is asked but probes.
  std::uint64_t times_opened = 0;
  Duration open_for{};  // In all.
  Duration clock_offset{};
  // What a survey may find, by name, and whether the latest one did.
  std::vector<std::pair<std::string_view, bool>> findings{};
};

// What is counted about a shared store; `nodes` is empty without one.
struct StoreCounts {
  std::vector<StoreNode> nodes;
  std::uint64_t calls = 0;   // Script calls sent,
  std::uint64_t checks = 0;  // and requests in them.
  std::uint64_t late_calls = 0;
  std::uint64_t late_answers = 0;
  std::uint64_t ambiguous = 0;
  std::uint64_t give_backs_lost = 0;
  std::uint64_t hand_backs = 0;
  std::uint64_t hand_backs_lost = 0;
  std::uint64_t probes = 0;
  Duration timeout{};  // In force.
  std::uint64_t ledger_keys = 0;
  std::uint64_t ledger_dropped = 0;
  // The fleet, as believed.
  std::string fleet_source;
  std::uint64_t live_instances = 0;
  bool fleet_frozen = false;
  bool fleet_stale = false;
  Duration fleet_age{};
};

struct ServiceCounts {
  std::string version;
  std::string revision;
  ConfigCounts config;
  std::vector<TransportCounts> transports;
  DecisionLogCounts decision_log;
  std::uint64_t loops = 0;
  Duration longest_turn{};  // Of any loop, since the start.
  ProcessFacts process;
  ReferenceServiceCounts reference;
  StoreCounts store;
};

}  // namespace weir::observe
