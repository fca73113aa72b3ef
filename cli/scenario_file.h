#pragma once

#include <vector>

#include "sim/scenario.h"
#include "weir/config/diagnostic.h"
#include "weir/config/source.h"

namespace weir::cli {

// A scenario as people write it, over what `base` has already:
//
//   name: black friday
//   instances: 4
//   limit: 50/s
//   burst: 50
//   algorithm: token_bucket
//   length: 60s
//   seed: 7
//   on_store_failure: {mode: local_share, split: learned}
//   tenants: {acme: 120, globex: {rate: 20, pin: 0}}
//   faults:
//     - {kind: blackhole, from: 15s, to: 45s}
//     - {kind: delay, from: 50s, to: 52s, amount: 200ms, instances: [0, 1]}
struct LoadedScenario {
  sim::Scenario scenario;
  std::vector<Diagnostic> diagnostics;

  bool ok() const { return !HasErrors(diagnostics); }
};
LoadedScenario LoadScenario(const SourceFile& file, sim::Scenario base = {});

}  // namespace weir::cli
