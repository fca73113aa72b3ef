#pragma once

#include <cstdio>
#include <string>

#include "net/timer.h"
#include "observe/line_queue.h"

namespace weir::net {
class Loop;
}  // namespace weir::net

namespace weir::cli {

// Brings the lines that loops queue to a file, ten times a second.  Belongs to its loop's thread,
// but for queue().
class DecisionLogWriter {
 public:
  static constexpr Duration kEvery = std::chrono::milliseconds(100);

  explicit DecisionLogWriter(net::Loop& loop);
  DecisionLogWriter(const DecisionLogWriter&) = delete;
  DecisionLogWriter& operator=(const DecisionLogWriter&) = delete;
  // Writes what is left.
  ~DecisionLogWriter();

  // "stdout", "stderr" or a file to append to.  An empty text, or why it cannot be written.
  std::string Open(const std::string& path);

  // Where loops put lines.  Thread-safe.
  observe::LineQueue& queue() { return queue_; }

 private:
  void Write();

  net::Loop& loop_;
  observe::LineQueue queue_;
  std::FILE* file_ = nullptr;
  std::string lines_;
  net::Timer timer_;
};

}  // namespace weir::cli
