#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace weir {

// A value that is replaced whole by one side and read by many.
//
// Readers that run a loop keep a `Reader`: Refresh() costs one relaxed-acquire load while nothing
// changed, and takes the mutex only when a new version was published.  (A mutex and a shared_ptr
// rather than std::atomic<std::shared_ptr>, which ThreadSanitizer cannot follow.)
//
// Thread-safe; a Reader belongs to one thread.
template <typename T>
class Snapshot {
 public:
  explicit Snapshot(std::shared_ptr<const T> first = nullptr) : value_(std::move(first)) {}
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  void Publish(std::shared_ptr<const T> next) {
    {
      const std::lock_guard lock(mutex_);
      value_.swap(next);
      version_.fetch_add(1, std::memory_order_release);
    }
    // The old value, if this was its last reference, dies here: on the publisher's thread and
    // outside the lock.
  }

  std::shared_ptr<const T> Get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }

  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

  class Reader {
   public:
    explicit Reader(const Snapshot& source) : source_(&source) { Reload(); }

    // Adopts a newer value if there is one.  Returns whether it changed.
    bool Refresh() {
      if (source_->version() == version_) return false;
      Reload();
      return true;
    }
    const std::shared_ptr<const T>& value() const { return value_; }

   private:
    void Reload() {
      const std::lock_guard lock(source_->mutex_);
      version_ = source_->version_.load(std::memory_order_relaxed);
      value_ = source_->value_;
    }

    const Snapshot* source_;
    std::uint64_t version_ = 0;
    std::shared_ptr<const T> value_;
  };

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const T> value_;
  std::atomic<std::uint64_t> version_{1};
};

}  // namespace weir
