#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weir/config/findings.h"
#include "weir/config/yaml.h"

namespace weir {

// A policy file as read: the reference service's format, decoded as that service decodes it (of
// equal keys the last counts, nothing means absent), and where each piece stands.  Nodes belong to
// the file's YamlDocument.

template <typename T>
struct Field {
  T value{};
  const YamlNode* key = nullptr;  // null: not written
  const YamlNode* node = nullptr;
  bool refused = false;  // written, but not of the right type

  bool written() const { return key != nullptr; }
};

struct ReplacesSource {
  const YamlNode* node = nullptr;
  Field<std::string> name;
};

struct LimitSource {
  Field<std::uint32_t> requests_per_unit;
  Field<std::string> unit;
  Field<bool> unlimited;
  Field<std::string> name;
  Field<std::vector<ReplacesSource>> replaces;
};

struct DescriptorSource {
  const YamlNode* node = nullptr;
  Field<std::string> key;
  Field<std::string> value;
  Field<std::optional<LimitSource>> rate_limit;
  Field<std::vector<DescriptorSource>> descriptors;
  Field<bool> shadow_mode;
  Field<bool> quota_mode;
  Field<bool> detailed_metric;
  Field<bool> value_to_metric;
  Field<bool> share_threshold;
  Field<bool> metadata;       // `value` says nothing; the node is the metadata
  Field<bool> weir;           // the same
  bool unknown_keys = false;  // Misspelt, most likely, and reported.

  // The text by which the reference service knows the descriptor.
  std::string Composite() const {
    return value.value.empty() ? key.value : key.value + "_" + value.value;
  }
  // Where to point when it is about the descriptor as such.
  const YamlNode* place() const { return key.node != nullptr ? key.node : node; }
};

struct PolicySource {
  Field<std::string> domain;
  Field<std::vector<DescriptorSource>> descriptors;
  Field<bool> weir;
};

// Whether the value is mapping enough to go on with, and free of what Go's yaml.v2 gives up on
// (a tag that contradicts its text, a merge of something else than mappings, aliases beyond its
// ratio); says so if not.
bool CheckDecodable(const YamlNode* root, Findings& findings);

// The reference service's first pass: every key is known, every list holds mappings, every leaf is
// text, a whole number, a boolean or nothing.  Beyond it: keys at the wrong level, equal keys, keys
// without a value.  `allow_weir` makes `weir` a known key.
void CheckKeys(const YamlNode& root, bool allow_weir, Findings& findings);

// Its second pass: values of the right type.  Always returns what could be read.
PolicySource DecodePolicy(const YamlNode& root, Findings& findings);

}  // namespace weir
