#include "cli/policy_files.h"

#include <filesystem>
#include <fstream>
#include <system_error>
#include <type_traits>

namespace weir::cli {
namespace {

namespace fs = std::filesystem;

using Listing = Result<std::vector<std::string>, FileError>;

FileError CannotRead(const std::string& path, const std::error_code& error) {
  return {"cannot read " + path + ": " + error.message()};
}

// Whether a file below a directory of this key may have one that begins with `key_prefix`.
bool MayHold(const std::string& directory_key, const std::string& key_prefix) {
  const std::string below = directory_key + ".";
  return below.starts_with(key_prefix) || key_prefix.starts_with(below);
}

// Does not walk through links to directories; those of a runtime root would be read twice.
template <typename Iterator>
Listing ListWith(const std::string& directory, const std::string& key_prefix) {
  std::error_code error;
  std::vector<std::string> names;
  // A step that fails leaves the iterator at the end: half a directory is not a policy.
  for (Iterator at(directory, error); !error && at != Iterator(); at.increment(error)) {
    std::string name = fs::path(at->path()).lexically_relative(directory).generic_string();
    const std::string key = ReferenceFileKey(name);
    if constexpr (std::is_same_v<Iterator, fs::recursive_directory_iterator>) {
      if (!MayHold(key, key_prefix)) at.disable_recursion_pending();
    }
    std::error_code gone;  // What a link points to may be.
    // The rest of a root is other services' business, and does not count towards the bound.
    if (!key.starts_with(key_prefix) || !at->is_regular_file(gone)) continue;
    if (names.size() >= kMostPolicyFiles) {
      return FileError{directory + " holds more than " + std::to_string(kMostPolicyFiles) +
                       " files"};
    }
    names.push_back(std::move(name));
  }
  if (error) return CannotRead(directory, error);
  return names;
}

const std::string& DirectoryOf(const PolicyLocation& location) {
  return location.root.empty() ? location.path : location.root;
}

std::string KeyPrefixOf(const PolicyLocation& location) {
  if (location.root.empty()) return {};
  return ReferenceFileKey(
             fs::path(location.path).lexically_relative(location.root).generic_string()) +
         ".";
}

Listing List(const PolicyLocation& location) {
  return location.layout == PolicyLayout::kRuntime
             ? ListWith<fs::recursive_directory_iterator>(DirectoryOf(location),
                                                          KeyPrefixOf(location))
             : ListWith<fs::directory_iterator>(location.path, {});
}

}  // namespace

Result<std::string, FileError> ReadWholeFile(const std::string& path, std::size_t most) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return CannotRead(path, std::error_code(errno, std::generic_category()));
  std::string text;
  char buffer[64 * 1024];
  while (in.read(buffer, sizeof buffer) || in.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(in.gcount()));
    if (text.size() > most) {
      return FileError{path + " is larger than " + std::to_string(most) + " bytes"};
    }
  }
  if (in.bad()) return CannotRead(path, std::make_error_code(std::errc::io_error));
  return text;
}

Result<std::vector<SourceFile>, FileError> ReadPolicyFiles(const PolicyLocation& location) {
  std::error_code error;
  const std::string& directory = DirectoryOf(location);
  if (!fs::is_directory(directory, error)) {
    auto text = ReadWholeFile(location.path, kMostPolicyBytes);
    if (!text) return std::move(text).error();
    return std::vector<SourceFile>{{location.path, *std::move(text)}};
  }
  auto names = List(location);
  if (!names) return std::move(names).error();
  std::vector<SourceFile> files;
  std::size_t bytes = 0;
  for (std::string& name : SelectPolicyFiles(*std::move(names), location.layout,
                                             location.ignore_dot_files, KeyPrefixOf(location))) {
    const std::string path = (fs::path(directory) / name).generic_string();
    auto text = ReadWholeFile(path, kMostPolicyBytes - bytes);
    if (!text) return std::move(text).error();
    bytes += text->size();
    files.push_back({location.layout == PolicyLayout::kRuntime ? name : path, *std::move(text)});
  }
  if (files.empty() && location.layout == PolicyLayout::kRuntime) {
    return FileError{location.path + " has no policy file"};
  }
  if (files.empty()) {
    return FileError{location.path + " has no policy file (*.yaml, *.yml)"};
  }
  return files;
}

}  // namespace weir::cli
