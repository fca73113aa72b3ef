#include "observe/line_queue.h"

#include <algorithm>

namespace weir::observe {

void LineQueue::Write(std::string_view lines) {
  const std::lock_guard lock(mutex_);
  if (lines.size() > most_bytes_ - std::min(most_bytes_, lines_.size())) {
    dropped_ += static_cast<std::uint64_t>(std::count(lines.begin(), lines.end(), '\n'));
    return;
  }
  lines_ += lines;
}

bool LineQueue::Take(std::string& out) {
  out.clear();
  const std::lock_guard lock(mutex_);
  lines_.swap(out);
  return !out.empty();
}

std::uint64_t LineQueue::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

}  // namespace weir::observe
