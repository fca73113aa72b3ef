#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/config/diagnostic.h"
#include "weir/config/load_options.h"
#include "weir/config/source.h"
#include "weir/core/rule.h"

namespace weir {

// What came of a set of policy files.
struct LoadedPolicy {
  // What Policy::Build() takes; in use only if ok().
  std::vector<DomainRules> domains;
  // Every finding in every file, sorted by file and line.
  std::vector<Diagnostic> diagnostics;
  std::size_t files = 0;
  std::size_t rules = 0;
  // What the reference service would say of the same files, "FILE: message"; empty if it would load
  // them.  Its checker goes through the files in the given order; `weir` blocks are not held
  // against a file, unless options.portable.
  std::string reference_refusal;

  bool ok() const { return !HasErrors(diagnostics); }
};

// Reads and checks policy files as one unit: any error refuses them all.  Opens nothing; `files`
// come from whoever read them, in the order in which they count.  Never throws.  Thread-safe.
//
// Under profile: reference exactly those files are refused that envoyproxy/ratelimit refuses, plus
// what our own `weir` blocks get wrong; what else is found is a warning.
LoadedPolicy LoadPolicy(std::span<const SourceFile> files, const LoadOptions& options);

// The reference service's own verdict on a set of files.
struct ReferenceVerdict {
  bool accepted = false;
  std::string message;  // As its checker prints it: "policy.yaml: descriptor has empty key".
};
ReferenceVerdict JudgeAsReference(std::span<const SourceFile> files, bool merge_domains = false);

// Which of a directory's files are policy files.
enum class PolicyLayout : unsigned char {
  kFlat,     // "*.yaml" and "*.yml" directly in the directory, but no names that begin with a dot
  kRuntime,  // as the reference service's runtime loader: every file, at any depth
};

// The paths (relative to the directory, with `/`) that are policy files, sorted.  Pure: the listing
// comes from the caller.  Under kRuntime `ignore_dot_files` (RUNTIME_IGNOREDOTFILES) leaves out
// every path with a component that begins with a dot, and only keys (see ReferenceFileKey) that
// begin with `key_prefix` count; of two paths with one key, a/b and a.b, the second walked counts.
std::vector<std::string> SelectPolicyFiles(std::vector<std::string> listing, PolicyLayout layout,
                                           bool ignore_dot_files = true,
                                           std::string_view key_prefix = {});

// The name under which the reference service speaks of a file: its path with `/` made `.`.
std::string ReferenceFileKey(std::string_view path);

}  // namespace weir
