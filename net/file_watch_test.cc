#include "net/file_watch.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/loop_thread.h"
#include "weir/base/system_clock.h"

namespace weir::net {
namespace {

namespace fs = std::filesystem;
using testing::Contains;

class FileWatchTest : public testing::Test {
 protected:
  FileWatchTest() {
    std::string name = (fs::temp_directory_path() / "weir-watch-XXXXXX").string();
    dir_ = fs::canonical(mkdtemp(name.data()));
  }
  ~FileWatchTest() override { fs::remove_all(dir_); }

  void Write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

  // Runs the loop until the watch has called; `change` happens once it watches.
  void ExpectSeen(const fs::path& path, const std::function<void()>& change) {
    const SystemClock clock;
    Loop loop(clock);
    bool seen = false;
    {
      const FileWatch watch(loop, path.string(), [&] {
        seen = true;
        loop.Stop();
      });
      Timer guard(loop, [&] { loop.Stop(); });
      guard.Set(clock.Read().steady + std::chrono::seconds(20));
      change();
      loop.Run();
    }
    EXPECT_TRUE(seen);
  }

  fs::path dir_;
};

TEST_F(FileWatchTest, SeesAFileWritten) {
  Write(dir_ / "a.yaml", "1");
  ExpectSeen(dir_ / "a.yaml", [&] { Write(dir_ / "a.yaml", "2"); });
}

TEST_F(FileWatchTest, SeesAFileReplacedByRename) {
  Write(dir_ / "a.yaml", "1");
  ExpectSeen(dir_ / "a.yaml", [&] {
    Write(dir_ / "b", "2");
    fs::rename(dir_ / "b", dir_ / "a.yaml");
  });
}

TEST_F(FileWatchTest, SeesAFileAppearInADirectory) {
  ExpectSeen(dir_, [&] { Write(dir_ / "new.yaml", "1"); });
}

TEST_F(FileWatchTest, SeesAPathThatDidNotExist) {
  ExpectSeen(dir_ / "later" / "a.yaml", [&] { fs::create_directory(dir_ / "later"); });
}

TEST_F(FileWatchTest, SeesKubernetesSwapItsDataLink) {
  fs::create_directory(dir_ / "..1");
  fs::create_directory(dir_ / "..2");
  Write(dir_ / "..1" / "a.yaml", "1");
  Write(dir_ / "..2" / "a.yaml", "2");
  fs::create_symlink("..1", dir_ / "..data");
  fs::create_symlink("..data/a.yaml", dir_ / "a.yaml");
  ExpectSeen(dir_ / "a.yaml", [&] {
    fs::create_symlink("..2", dir_ / "..tmp");
    fs::rename(dir_ / "..tmp", dir_ / "..data");
  });
}

TEST_F(FileWatchTest, FollowsEveryLinkOfARuntimeRoot) {
  fs::create_directory(dir_ / "v1");
  fs::create_directory(dir_ / "v1" / "policy");
  fs::create_symlink("v1", dir_ / "current");
  const auto list = DirectoriesToWatch((dir_ / "current" / "policy").string());
  EXPECT_THAT(list, Contains(WatchedDirectory{dir_.string(), {"current"}}));
  EXPECT_THAT(list, Contains(WatchedDirectory{(dir_ / "v1" / "policy").string(), {}}));
}

TEST_F(FileWatchTest, SurvivesALoopOfLinks) {
  fs::create_symlink("b", dir_ / "a");
  fs::create_symlink("a", dir_ / "b");
  EXPECT_FALSE(DirectoriesToWatch((dir_ / "a").string()).empty());
}

}  // namespace
}  // namespace weir::net
