#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <nghttp2/nghttp2.h>

namespace weir::net {

// Memory for one nghttp2 session: small blocks go back to free lists and are used again, so that a
// call in steady state asks the system for nothing.  Keeps what the busiest moment needed.  Belongs
// to one thread; must outlive the session.
class Http2Memory {
 public:
  Http2Memory();
  Http2Memory(const Http2Memory&) = delete;
  Http2Memory& operator=(const Http2Memory&) = delete;
  ~Http2Memory();

  nghttp2_mem* hooks() { return &hooks_; }

  // How often the system was asked.
  std::uint64_t system_allocations() const { return system_allocations_; }

 private:
  static constexpr std::size_t kStep = 64;
  static constexpr std::size_t kClasses = 64;  // Blocks up to 4 KiB; larger ones are not kept.

  // Stands before each block and keeps its alignment.
  struct alignas(std::max_align_t) Header {
    std::size_t size_class;
    Header* next;
  };

  static std::size_t ClassOf(std::size_t size) { return (size + kStep - 1) / kStep; }
  void* Allocate(std::size_t size);
  void Free(void* block);
  void* Resize(void* block, std::size_t size);

  nghttp2_mem hooks_;
  std::array<Header*, kClasses + 1> free_{};
  std::uint64_t system_allocations_ = 0;
};

}  // namespace weir::net
