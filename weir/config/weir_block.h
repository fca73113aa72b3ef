#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "weir/config/findings.h"
#include "weir/config/load_options.h"
#include "weir/config/yaml.h"
#include "weir/core/rule.h"

namespace weir {

// A setting and where it was written; null for those that were not.
template <typename T>
struct Setting {
  std::optional<T> value;
  const YamlNode* key = nullptr;
  const YamlNode* node = nullptr;
};

// What a `weir:` block says, before it meets its rule.
struct WeirSettings {
  Setting<Algorithm> algorithm;
  Setting<Duration> window;
  Setting<std::uint64_t> burst;
  Setting<bool> calendar;
  Setting<std::uint32_t> enforce;
  Setting<FailurePolicy> on_store_failure;
  Setting<std::string> owner;
  Setting<std::string> reason;
  Setting<bool> security;
  Setting<std::string> review_by;
  Setting<std::string> shard_by;

  // Whether the block says anything that only a rule can use.
  bool acts_on_rule() const {
    return algorithm.key != nullptr || window.key != nullptr || burst.key != nullptr ||
           calendar.key != nullptr || enforce.key != nullptr || on_store_failure.key != nullptr ||
           shard_by.key != nullptr;
  }
};

enum class WeirPlace : std::uint8_t {
  kDescriptor,  // `weir:` on a descriptor
  kMetadata,    // `metadata: {weir: ...}`, which the reference service loads too
  kDomain,      // `weir:` at the top of a file: its domain's defaults
};

// Reads a block; everything wrong with it is a finding.
WeirSettings ReadWeirBlock(const YamlNode& node, WeirPlace place, const LoadOptions& options,
                           Findings& findings);

}  // namespace weir
