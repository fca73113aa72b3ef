#pragma once

#include <atomic>
#include <cstdint>

namespace weir {

// A count with one writer and any number of readers: an increment is a plain add, not a locked
// instruction.  Give each loop its own cell and sum them when somebody looks.
class CounterCell {
 public:
  // REQUIRES: always called by the same thread (or by threads that exclude each other).
  void Add(std::uint64_t n) {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  std::uint64_t Read() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

}  // namespace weir
