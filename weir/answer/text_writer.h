#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace weir {

// Writes text into memory that somebody else owns; allocates nothing.
//
// What does not fit is not written at all, and neither is anything after it until Rewind(): a text
// is never cut in the middle of a Put().  Not thread-safe.
class TextWriter {
 public:
  // `memory` must outlive the writer and every view of its text.
  explicit TextWriter(std::span<char> memory) : memory_(memory) {}

  void Put(std::string_view text) {
    if (full_ || text.size() > memory_.size() - size_) {
      full_ = true;
      return;
    }
    char* const at = memory_.data() + size_;
    if (text.size() <= kShort) {  // Names of parameters, mostly: a call would cost more.
      for (std::size_t i = 0; i < text.size(); ++i) at[i] = text[i];
    } else {
      std::memcpy(at, text.data(), text.size());
    }
    size_ += text.size();
  }

  void Put(char c) {
    if (full_ || size_ == memory_.size()) {
      full_ = true;
      return;
    }
    memory_[size_++] = c;
  }

  void PutNumber(std::int64_t number) { PutDigits(number); }
  void PutNumber(std::uint64_t number) { PutDigits(number); }

  std::size_t size() const { return size_; }

  // Whether something did not fit.
  bool full() const { return full_; }

  // Everything written since the size was `from`.
  std::string_view TextFrom(std::size_t from) const {
    return {memory_.data() + from, size_ - from};
  }
  std::string_view text() const { return TextFrom(0); }

  // Takes back everything after the first `size` bytes, and forgets that it was full.
  // REQUIRES: size <= this->size()
  void Rewind(std::size_t size) {
    size_ = size;
    full_ = false;
  }

 private:
  static constexpr std::size_t kShort = 4;

  template <typename Number>
  void PutDigits(Number number) {
    if (full_) return;
    char* const at = memory_.data() + size_;
    const auto [end, error] = std::to_chars(at, memory_.data() + memory_.size(), number);
    full_ = error != std::errc();
    if (!full_) size_ += static_cast<std::size_t>(end - at);
  }

  std::span<char> memory_;
  std::size_t size_ = 0;
  bool full_ = false;
};

}  // namespace weir
