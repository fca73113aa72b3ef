#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "cli/policy_files.h"
#include "weir/base/clock.h"
#include "weir/config/diagnostic.h"
#include "weir/config/load_options.h"
#include "weir/limiter/engine.h"

namespace weir::cli {

// What the last load came to, for logs, metrics and the admin page.
struct LoadReport {
  bool ok = false;
  std::uint64_t generation = 0;  // Of the policy in force; 0 before the first.
  std::string fingerprint;       // Of the policy in force.
  WallTime loaded_at{};          // When the policy in force was loaded.
  WallTime tried_at{};
  std::uint64_t loads = 0;     // Successful ones.
  std::uint64_t refusals = 0;  // Failed ones.
  std::string error;           // Of the last load, rendered for people; empty if it went well.
  std::string error_line;      // Its first finding, on one line: "shop.yaml:3:5: error[...]: ...".
  std::vector<Diagnostic> diagnostics;  // Of the last load, warnings included.
  std::size_t rules = 0;                // Of the policy in force.
  std::size_t domains = 0;
};

// Loads policies and puts them in force, in every engine it was given.  A load that fails changes
// nothing but the report.  Load() belongs to one thread; report() is thread-safe.
class PolicyKeeper {
 public:
  // `seed` as PolicyOptions::seed.
  PolicyKeeper(PolicyLocation location, LoadOptions options, std::uint64_t seed)
      : location_(std::move(location)), options_(std::move(options)), seed_(seed) {}

  // `engine` must outlive the keeper.  Call before Load().
  void Serve(Engine& engine) { engines_.push_back(&engine); }

  enum class Result : std::uint8_t { kLoaded, kUnchanged, kRefused };
  // `only_if_changed`: files with the bytes of the policy in force are not loaded again.
  Result Load(const Now& now, bool only_if_changed);

  LoadReport report() const;
  const PolicyLocation& location() const { return location_; }

 private:
  void Refuse(std::string error, std::string line, std::vector<Diagnostic> diagnostics);

  const PolicyLocation location_;
  LoadOptions options_;
  const std::uint64_t seed_;
  std::vector<Engine*> engines_;
  mutable std::mutex mutex_;
  LoadReport report_;  // Guarded by mutex_.
};

// "2026-11-30", UTC.
std::string DateOf(WallTime time);

}  // namespace weir::cli
