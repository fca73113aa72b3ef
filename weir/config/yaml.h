#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/config/diagnostic.h"
#include "weir/config/source.h"

namespace weir {

enum class YamlKind : std::uint8_t { kScalar, kSequence, kMapping };

// A piece of YAML and where it stands.  Nothing is interpreted yet: scalars keep their text,
// mappings keep every pair in file order, equal keys and merge keys (`<<`) included.
struct YamlNode {
  struct Pair {
    const YamlNode* key;
    const YamlNode* value;
  };

  YamlKind kind = YamlKind::kScalar;
  bool implicit = false;  // A plain scalar (or one tagged `!`): its text decides its type.
  std::string tag;        // As "tag:yaml.org,2002:int"; empty if none was written.
  std::string text;       // Scalars only.
  std::vector<const YamlNode*> items;  // Sequences only.
  std::vector<Pair> pairs;             // Mappings only.
  SourceSpan span;  // An alias stands where the alias was written, its children where they were.
  const YamlNode* alias_of = nullptr;  // The anchored node that this one repeats.

  bool is_scalar() const { return kind == YamlKind::kScalar; }
  bool is_sequence() const { return kind == YamlKind::kSequence; }
  bool is_mapping() const { return kind == YamlKind::kMapping; }
  // `<<`, unquoted: the value's pairs belong to the mapping that holds this key.
  bool is_merge_key() const;
  // Nothing, `~` or `null`.
  bool is_null() const;

  // The value of the last pair whose key is this text; null if there is none.  Merges are not
  // looked through: EffectivePairs does that.
  const YamlNode* Find(std::string_view key) const;
};

// The pairs of a mapping in the order in which they take effect, merged mappings included: of
// equal keys the last one counts.  As in Go's yaml.v2, a merge takes effect where it stands, so
// one that follows a key overrides it.  Merges of anything but mappings are left out.  Refers to
// the node, which must outlive it.
class EffectivePairs {
 public:
  explicit EffectivePairs(const YamlNode& mapping);
  EffectivePairs(const EffectivePairs&) = delete;
  EffectivePairs& operator=(const EffectivePairs&) = delete;

  auto begin() const { return pairs_.begin(); }
  auto end() const { return pairs_.end(); }
  std::size_t size() const { return pairs_.size(); }
  const YamlNode::Pair& operator[](std::size_t i) const { return pairs_[i]; }
  std::span<const YamlNode::Pair> view() const { return pairs_; }

 private:
  std::vector<YamlNode::Pair> merged_;  // Only if there is something to merge.
  std::span<const YamlNode::Pair> pairs_;
};

// Bounds of a document; beyond any of them it is refused with WEIR-P002.
struct YamlLimits {
  std::size_t bytes = 16U << 20U;
  std::size_t nodes = 1'000'000;  // After expansion of aliases.
  std::size_t depth = 100;        // The same.
};

// Owns the nodes of one document.  Movable; nodes stay where they are.
class YamlDocument {
 public:
  YamlDocument();
  ~YamlDocument();
  YamlDocument(YamlDocument&&) noexcept;
  YamlDocument& operator=(YamlDocument&&) noexcept;

  // Null for a text without content, or one that did not parse.
  const YamlNode* root() const { return root_; }

 private:
  friend class YamlComposer;
  struct Arena;
  std::unique_ptr<Arena> arena_;
  const YamlNode* root_ = nullptr;
};

struct YamlParse {
  YamlDocument document;
  std::vector<Diagnostic> diagnostics;  // P001 syntax, P002 bounds (errors); P029 (a warning).
  // What Go's yaml.v2 says about the text ("yaml: line 2: ..."); empty if it parses.  Texts beyond
  // our bounds, which it might accept, are refused with a text of our own.
  std::string go_error;

  bool ok() const { return go_error.empty(); }
};

// Parses the first document of a text (UTF-8, or UTF-16 with a mark); more documents are ignored
// with a warning, as the reference service ignores them.  Never throws, never recurses deeper than
// the limits.  Thread-safe.
YamlParse ParseYaml(const SourceFile& file, const YamlLimits& limits = {});

}  // namespace weir
