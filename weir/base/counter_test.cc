#include "weir/base/counter.h"

#include <thread>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(CounterCellTest, IsReadWhileItsOneWriterAdds) {
  CounterCell cell;
  std::thread writer([&] {
    for (int i = 0; i < 10'000; ++i) cell.Add(2);
  });
  std::uint64_t seen = 0;
  for (int i = 0; i < 1'000; ++i) {
    const std::uint64_t now = cell.Read();
    EXPECT_GE(now, seen);
    seen = now;
  }
  writer.join();
  EXPECT_EQ(cell.Read(), 20'000U);
}

}  // namespace
}  // namespace weir
