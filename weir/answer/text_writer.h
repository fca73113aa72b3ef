#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
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
    std::copy(text.begin(), text.end(), memory_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += text.size();
  }

  void Put(char c) { Put(std::string_view(&c, 1)); }

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
  template <typename Number>
  void PutDigits(Number number) {
    char digits[20];
    const auto [end, error] = std::to_chars(digits, digits + sizeof(digits), number);
    Put(std::string_view(digits, static_cast<std::size_t>(end - digits)));
  }

  std::span<char> memory_;
  std::size_t size_ = 0;
  bool full_ = false;
};

}  // namespace weir
