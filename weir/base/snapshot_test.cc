#include "weir/base/snapshot.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(SnapshotTest, AReaderSeesAChangeOnlyWhenItRefreshes) {
  Snapshot<int> snapshot(std::make_shared<const int>(1));
  Snapshot<int>::Reader reader(snapshot);
  snapshot.Publish(std::make_shared<const int>(2));
  EXPECT_EQ(*reader.value(), 1);
  EXPECT_TRUE(reader.Refresh());
  EXPECT_EQ(*reader.value(), 2);
  EXPECT_FALSE(reader.Refresh());
}

TEST(SnapshotTest, AnOldVersionLivesUntilItsLastReaderLetsGo) {
  auto first = std::make_shared<const int>(1);
  const std::weak_ptr<const int> watch = first;
  Snapshot<int> snapshot(std::move(first));
  Snapshot<int>::Reader reader(snapshot);
  snapshot.Publish(std::make_shared<const int>(2));
  EXPECT_FALSE(watch.expired());
  reader.Refresh();
  EXPECT_TRUE(watch.expired());
}

TEST(SnapshotTest, ReadersOnOtherThreadsSeeVersionsInOrder) {
  Snapshot<int> snapshot(std::make_shared<const int>(0));
  std::vector<std::thread> readers;
  for (int t = 0; t < 2; ++t) {
    readers.emplace_back([&] {
      Snapshot<int>::Reader reader(snapshot);
      int last = 0;
      while (last < 1000) {
        reader.Refresh();
        EXPECT_GE(*reader.value(), last);
        last = *reader.value();
      }
    });
  }
  for (int i = 1; i <= 1000; ++i) snapshot.Publish(std::make_shared<const int>(i));
  for (auto& t : readers) t.join();
}

}  // namespace
}  // namespace weir
