#include "cli/policy_files.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

namespace weir::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class PolicyFilesTest : public testing::Test {
 protected:
  PolicyFilesTest() : root_(fs::path(testing::TempDir()) / "policy_files_test") {
    fs::remove_all(root_);
  }
  ~PolicyFilesTest() override { fs::remove_all(root_); }

  void Write(const std::string& name) {
    const fs::path path = root_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "domain: d\n";
  }
  static std::vector<std::string> NamesOf(const PolicyLocation& location) {
    const auto files = ReadPolicyFiles(location);
    if (!files) return {files.error().message};
    std::vector<std::string> names;
    for (const SourceFile& file : *files) names.push_back(file.name);
    return names;
  }
  PolicyLocation Runtime(bool watch_root) const {
    PolicyLocation location{(root_ / "config").string(), PolicyLayout::kRuntime, false};
    if (watch_root) location.root = root_.string();
    return location;
  }

  const fs::path root_;
};

TEST_F(PolicyFilesTest, OfAWatchedRootThoseCountWhoseKeysBeginWithTheDirectory) {
  for (const char* name : {"config/a.yaml", "config/deep/b.conf", "config.extra.yaml",
                           "configured/c.yaml", "other/d.yaml", "e.yaml"}) {
    Write(name);
  }
  EXPECT_THAT(NamesOf(Runtime(true)),
              ElementsAre("config.extra.yaml", "config/a.yaml", "config/deep/b.conf"));
  EXPECT_THAT(NamesOf(Runtime(false)), ElementsAre("a.yaml", "deep/b.conf"));
}

TEST_F(PolicyFilesTest, OfAWatchedRootAFileAloneIsEnough) {
  Write("config.yaml");
  EXPECT_THAT(NamesOf(Runtime(true)), ElementsAre("config.yaml"));
}

TEST_F(PolicyFilesTest, ARuntimeWithoutFilesSaysSo) {
  Write("other/a.yaml");
  EXPECT_THAT(NamesOf(Runtime(true)), ElementsAre(HasSubstr("config has no policy file")));
}

TEST_F(PolicyFilesTest, LinksToDirectoriesAreNotWalkedThrough) {
  Write("config/real/a.yaml");
  fs::create_directory_symlink(root_ / "config/real", root_ / "config/link");
  fs::create_symlink(root_ / "config/real/a.yaml", root_ / "config/b.yaml");
  EXPECT_THAT(NamesOf(Runtime(true)), ElementsAre("config/b.yaml", "config/real/a.yaml"));
}

// Opens no more files while it lives.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int next = dup(STDOUT_FILENO);
    close(next);
    // One for the directory itself, none for what is in it.
    const rlimit few{static_cast<rlim_t>(next) + 1, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
  }
  ~NoMoreFiles() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;

 private:
  rlimit before_{};
};

TEST_F(PolicyFilesTest, ADirectoryThatCannotBeReadIsAnErrorAndNotHalfAPolicy) {
  Write("config/a.yaml");
  Write("config/deep/b.yaml");
  Write("config.yaml");
  const NoMoreFiles no_more;
  EXPECT_THAT(NamesOf(Runtime(true)), ElementsAre(HasSubstr("cannot read ")));
}

TEST_F(PolicyFilesTest, OfAWatchedRootOtherDirectoriesAreNotEvenOpened) {
  Write("config.yaml");
  Write("configured/c.yaml");
  Write("other/secret/d.yaml");
  const NoMoreFiles no_more;
  EXPECT_THAT(NamesOf(Runtime(true)), ElementsAre("config.yaml"));
}

}  // namespace
}  // namespace weir::cli
