#pragma once

#include <string>
#include <vector>

#include "weir/config/policy_loader.h"

namespace weir {

// For tests of loading: a process that has chosen a failure mode, one file, and what was found in
// it by code.

inline LoadOptions Quiet() {
  LoadOptions options;
  options.default_on_store_failure = FailureMode::kOpen;
  return options;
}

inline LoadedPolicy Load(const std::string& text, const LoadOptions& options = Quiet()) {
  const std::vector<SourceFile> files = {{"shop.yaml", text}};
  return LoadPolicy(files, options);
}

inline std::vector<std::string> Codes(const LoadedPolicy& loaded) {
  std::vector<std::string> out;
  for (const Diagnostic& d : loaded.diagnostics) out.push_back(d.code.substr(5));
  return out;
}

inline const Rule& OnlyRule(const LoadedPolicy& loaded) {
  return *loaded.domains.at(0).children.at(0).rule;
}

inline const std::string kHead = "domain: shop\ndescriptors:\n  - key: tenant\n";

}  // namespace weir
