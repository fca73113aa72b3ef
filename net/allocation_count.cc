#include "net/allocation_count.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace weir::net {
namespace {
std::atomic<std::size_t> count{0};
}  // namespace

std::size_t AllocationCount() {
  return count.load();
}
}  // namespace weir::net

void* operator new(std::size_t n) {
  weir::net::count.fetch_add(1);
  if (void* p = std::malloc(n == 0 ? 1 : n)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
