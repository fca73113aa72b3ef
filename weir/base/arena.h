#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace weir {

// Memory for the texts of one request: handed out front to back, taken back all at once, kept for
// the next request.  After the first few requests of a size nothing is allocated any more.
// Not thread-safe.
class Arena {
 public:
  static constexpr std::size_t kBlock = 1024;

  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // `size` bytes, valid until Reset().  Never null.
  char* Take(std::size_t size) {
    if (size > left_) Grow(size);
    char* const out = next_;
    next_ += size;
    left_ -= size;
    return out;
  }

  // A copy of `text`, valid until Reset().
  std::string_view Copy(std::string_view text) {
    if (text.empty()) return {};
    char* const out = Take(text.size());
    std::memcpy(out, text.data(), text.size());
    return {out, text.size()};
  }

  // Takes everything back.  Blocks beyond the first are merged into one large enough for all, as
  // long as that stays below 64 KiB; a request larger than that gives its memory back.
  void Reset() {
    if (blocks_.size() > 1) {
      const std::size_t want = total_ <= kKeep ? total_ : kBlock;
      blocks_.clear();
      total_ = 0;
      left_ = 0;
      Grow(want);
    } else if (blocks_.size() == 1) {
      next_ = blocks_.front().get();
      left_ = total_;
    }
  }

  // Bytes held, used or not.
  std::size_t capacity() const { return total_; }

 private:
  static constexpr std::size_t kKeep = 64 * 1024;

  void Grow(std::size_t size) {
    const std::size_t block = size > kBlock ? size : kBlock;
    blocks_.push_back(std::make_unique<char[]>(block));
    next_ = blocks_.back().get();
    left_ = block;
    total_ += block;
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t total_ = 0;
};

}  // namespace weir
