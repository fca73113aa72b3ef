#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <uv.h>

#include "net/loop.h"

namespace weir::net {

// Tells when a file, or anything in a directory (not below it), may have changed.
//
// Every symbolic link on the way is watched too, so that swapping a link (a runtime root, the
// `..data` link of a Kubernetes volume) counts as a change; so does the appearance of a path that
// did not exist.  A burst of events becomes one call: kQuiet after the last event, and no later
// than kLongest after the first.  Says "may": the callback should compare contents.
// Belongs to the loop's thread.
class FileWatch {
 public:
  static constexpr Duration kQuiet = std::chrono::milliseconds(100);
  static constexpr Duration kLongest = std::chrono::seconds(1);

  FileWatch(Loop& loop, std::string path, std::function<void()> on_change);
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;
  ~FileWatch();

 private:
  struct Watched;

  void Resolve();
  void OnEvent(const Watched& where, const char* name);
  void OnQuiet();

  Loop& loop_;
  std::string path_;
  std::function<void()> on_change_;
  std::vector<Watched*> watched_;
  Timer timer_;
  Instant first_event_ = kNever;
};

// The directories whose events can change what `path` means, each with the names that matter in it
// (empty: all).  Exposed for its tests.
struct WatchedDirectory {
  std::string directory;
  std::set<std::string> names;
  bool operator==(const WatchedDirectory&) const = default;
};
std::vector<WatchedDirectory> DirectoriesToWatch(const std::string& path);

}  // namespace weir::net
