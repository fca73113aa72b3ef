#include "observe/line_queue.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace weir::observe {
namespace {

TEST(LineQueueTest, HandsOverWhatWasWrittenInOrder) {
  LineQueue queue;
  queue.Write("a\n");
  queue.Write("b\nc\n");
  std::string out = "old";
  EXPECT_TRUE(queue.Take(out));
  EXPECT_EQ(out, "a\nb\nc\n");
  EXPECT_FALSE(queue.Take(out));
  EXPECT_EQ(out, "");
}

TEST(LineQueueTest, DropsAndCountsWholeLinesBeyondItsBound) {
  LineQueue queue(8);
  queue.Write("1234\n");
  queue.Write("x\ny\nz\n");
  queue.Write("ab\n");
  EXPECT_EQ(queue.dropped(), 3U);
  std::string out;
  EXPECT_TRUE(queue.Take(out));
  EXPECT_EQ(out, "1234\nab\n");
}

TEST(LineQueueTest, TakesLinesFromSeveralThreads) {
  LineQueue queue;
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&queue] {
      for (int n = 0; n < 1000; ++n) queue.Write("line\n");
    });
  }
  for (std::thread& writer : writers) writer.join();
  std::string out;
  queue.Take(out);
  EXPECT_EQ(out.size(), 4U * 1000 * 5);
}

}  // namespace
}  // namespace weir::observe
