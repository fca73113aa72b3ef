#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "observe/service_counts.h"
#include "weir/base/clock.h"
#include "weir/limiter/engine.h"
#include "weir/store/memory_store.h"

namespace weir::admin {

// What came of reading policies.
struct PolicyReport {
  std::uint64_t generation = 0;  // Of the policy in force.
  std::string fingerprint;
  WallTime loaded_at{};
  WallTime tried_at{};
  bool last_load_ok = true;
  // Of the last load, if it was refused: every finding, rendered for people, with file and line.
  std::string error;
};

// Whether the process can do its work, and if not, why.
struct Health {
  bool live = true;
  bool ready = true;
  std::string reason;  // One line; empty if ready.
};

struct ServerFacts {
  std::string version;
  std::string revision;
  std::string profile;  // "native" or "reference".
  std::uint64_t workers = 0;
  WallTime started{};
  // "listen_grpc" and its address, "policy" and its directory, ...: what the command line, the
  // environment and the settings file came to.  No secrets: whoever fills it leaves them out.
  std::vector<std::pair<std::string, std::string>> options;
};

// Where the admin pages read what they show.  Implemented by whoever wires the process together.
// Every call comes from the admin listener's loop, one for each request at most.
class AdminState {
 public:
  AdminState() = default;
  AdminState(const AdminState&) = delete;
  AdminState& operator=(const AdminState&) = delete;
  virtual ~AdminState() = default;

  // All engines of the process, at least one; valid as long as the state is.
  virtual std::vector<const Engine*> engines() const = 0;
  virtual const MemoryStore* store() const = 0;  // Null if counts are elsewhere.
  virtual observe::ServiceCounts counts() const = 0;
  virtual PolicyReport policy() const = 0;
  virtual Health health() const = 0;
  virtual ServerFacts server() const = 0;
};

}  // namespace weir::admin
