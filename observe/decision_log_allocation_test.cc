// By itself, because it counts every allocation of the program.

#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "observe/decision_log.h"
#include "observe/metrics_rig.h"

namespace {
std::atomic<std::size_t> allocations{0};
}  // namespace

// Not inlined: gcc 12 would see a free() of something that a `new` elsewhere made.
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* const memory = std::malloc(size);
  if (memory == nullptr) std::abort();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

namespace weir::observe {
namespace {

class Nowhere final : public LineSink {
 public:
  void Write(std::string_view /*lines*/) override {}
};

TEST(DecisionLogAllocationTest, AllocatesNothingForADecision) {
  MetricsRig rig({DomainOf("shop", {NodeOf("tenant", "", 2)})});
  Nowhere sink;
  DecisionLogOptions options;
  options.allow = 0.5;  // Logged ones reuse the buffer.
  DecisionLog log(options, sink);
  rig.Ask("shop", {{"tenant", "acme"}});
  for (int i = 0; i < 100; ++i) log.Note(rig.request(), rig.check(), rig.decision(), rig.now);
  log.Flush();
  const std::size_t before = allocations.load();
  for (int i = 0; i < 100; ++i) log.Note(rig.request(), rig.check(), rig.decision(), rig.now);
  log.Flush();
  EXPECT_EQ(allocations.load(), before);
}

}  // namespace
}  // namespace weir::observe
