#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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
};

}  // namespace weir::observe
