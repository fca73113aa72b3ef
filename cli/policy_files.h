#pragma once

#include <string>
#include <vector>

#include "weir/base/result.h"
#include "weir/config/policy_loader.h"
#include "weir/config/source.h"

namespace weir::cli {

// Where policy files are, and which files there count.
struct PolicyLocation {
  std::string path;  // A directory, or one file.
  PolicyLayout layout = PolicyLayout::kFlat;
  bool ignore_dot_files = true;
  // kRuntime with RUNTIME_WATCH_ROOT: the directory above `path` from which files are named, so
  // that everything in it counts whose key begins with that of `path`: DIR/x, DIR.x, DIR.d/x.
  // Empty: `path` itself is walked.
  std::string root{};
};

// Names the path and the reason.
struct FileError {
  std::string message;
};

// Bounds on what is read; beyond them reading fails and says so.
inline constexpr std::size_t kMostPolicyFiles = 10'000;
inline constexpr std::size_t kMostPolicyBytes = std::size_t{256} << 20;

// Reads them all, sorted by path.  Names are the paths as a person would type them, or, for
// kRuntime, relative to the root or the directory.  An error names the path and the reason; a
// directory without a policy file is one.
Result<std::vector<SourceFile>, FileError> ReadPolicyFiles(const PolicyLocation& location);

// One file's bytes, at most `most` of them.
Result<std::string, FileError> ReadWholeFile(const std::string& path, std::size_t most);

}  // namespace weir::cli
