#include "net/file_watch.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <system_error>
#include <utility>

namespace weir::net {

namespace fs = std::filesystem;

namespace {

// As many links as the kernel follows before it gives up.
constexpr int kMaxLinks = 40;

void Note(std::vector<WatchedDirectory>& list, const fs::path& directory, std::string name) {
  auto found = std::find_if(list.begin(), list.end(), [&](const WatchedDirectory& each) {
    return each.directory == directory.string();
  });
  if (found == list.end()) {
    list.push_back({directory.string(), {}});
    found = list.end() - 1;
  } else if (found->names.empty()) {
    return;  // All names matter already.
  }
  if (name.empty()) {
    found->names.clear();
  } else {
    found->names.insert(std::move(name));
  }
}

}  // namespace

std::vector<WatchedDirectory> DirectoriesToWatch(const std::string& path) {
  std::error_code error;
  std::vector<WatchedDirectory> list;
  const fs::path start = fs::absolute(path, error).lexically_normal();
  std::deque<fs::path> todo(start.begin(), start.end());
  fs::path at;
  for (int links = 0; !todo.empty();) {
    const fs::path name = todo.front();
    todo.pop_front();
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      at = at.parent_path();
      continue;
    }
    const fs::path next = at / name;
    const fs::file_status status = fs::symlink_status(next, error);
    if (!fs::exists(status)) {
      Note(list, at, name.string());
      return list;
    }
    if (fs::is_symlink(status)) {
      Note(list, at, name.string());
      if (++links > kMaxLinks) return list;
      const fs::path target = fs::read_symlink(next, error);
      if (target.is_absolute()) at.clear();
      todo.insert(todo.begin(), target.begin(), target.end());
      continue;
    }
    if (todo.empty() && !fs::is_directory(status)) Note(list, at, name.string());
    at = next;
  }
  if (fs::is_directory(at, error)) {
    Note(list, at, "");
    // A directory that is renamed away and replaced is seen from its parent only.
    if (at.has_relative_path()) Note(list, at.parent_path(), at.filename().string());
  }
  return list;
}

struct FileWatch::Watched {
  uv_fs_event_t handle{};
  FileWatch* owner = nullptr;
  WatchedDirectory where;
};

FileWatch::FileWatch(Loop& loop, std::string path, std::function<void()> on_change)
    : loop_(loop),
      path_(std::move(path)),
      on_change_(std::move(on_change)),
      timer_(loop, [this] { OnQuiet(); }) {
  Resolve();
}

FileWatch::~FileWatch() {
  for (Watched* each : watched_) {
    each->owner = nullptr;
    uv_close(reinterpret_cast<uv_handle_t*>(&each->handle),
             [](uv_handle_t* handle) { delete static_cast<Watched*>(handle->data); });
  }
}

void FileWatch::Resolve() {
  std::vector<WatchedDirectory> wanted = DirectoriesToWatch(path_);
  // Always anew: a directory of the same name may be another one by now.
  std::vector<Watched*> old;
  old.swap(watched_);
  for (WatchedDirectory& directory : wanted) {
    auto* added = new Watched;
    added->owner = this;
    added->where = std::move(directory);
    added->handle.data = added;
    uv_fs_event_init(loop_.uv(), &added->handle);
    uv_fs_event_start(
        &added->handle,
        [](uv_fs_event_t* handle, const char* name, int, int) {
          auto* self = static_cast<Watched*>(handle->data);
          if (self->owner == nullptr) return;
          self->owner->loop_.EnterTurn();
          self->owner->OnEvent(*self, name);
        },
        added->where.directory.c_str(), 0);
    watched_.push_back(added);
  }
  for (Watched* each : old) {
    each->owner = nullptr;
    uv_close(reinterpret_cast<uv_handle_t*>(&each->handle),
             [](uv_handle_t* handle) { delete static_cast<Watched*>(handle->data); });
  }
}

void FileWatch::OnEvent(const Watched& where, const char* name) {
  if (!where.where.names.empty() && name != nullptr && !where.where.names.contains(name)) return;
  const Instant now = loop_.now().steady;
  if (first_event_ == kNever) first_event_ = now;
  timer_.Set(std::min(now + kQuiet, first_event_ + kLongest));
}

void FileWatch::OnQuiet() {
  first_event_ = kNever;
  // Before the callback reads: what changes from now on is seen by the new watches.
  Resolve();
  on_change_();
}

}  // namespace weir::net
