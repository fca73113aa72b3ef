// No decision allocates once its buffers have grown, with the store or without.  An executable of
// its own: it replaces the global operator new with one that counts.

#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "weir/failure/failing_rig.h"

namespace {

std::atomic<std::uint64_t> allocations{0};

void* Allocate(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  std::abort();
}
void* AllocateAligned(std::size_t size, std::align_val_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const auto unit = static_cast<std::size_t>(alignment);
  if (void* const memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return memory;
  std::abort();
}

}  // namespace

// The array forms call these.
void* operator new(std::size_t size) {
  return Allocate(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return AllocateAligned(size, alignment);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace weir {
namespace {

using namespace std::chrono_literals;

class FailingAllocationTest : public testing::TestWithParam<FailureMode> {
 protected:
  FailingAllocationTest() {
    for (const Algorithm algorithm : {Algorithm::kTokenBucket, Algorithm::kFixedWindow}) {
      hits_.push_back(rig_.HitOn(rig_.NewRule(algorithm, 50, 1s, {.mode = GetParam()})));
    }
    check_.hits = hits_;
  }

  // Asks in turns, some after the last answer, and counts what that allocates.
  std::uint64_t In(int turns) {
    const std::uint64_t before = allocations.load();
    for (int i = 0; i < turns; ++i) {
      Check* const one[] = {&check_};
      a_.store.Commit(one, rig_.now());
      do {
        rig_.Advance(500us);
        a_.store.Poll(rig_.now());
      } while (check_.pending);
    }
    return allocations.load() - before;
  }

  FailingRig rig_;
  HeldDenials held_{1000};
  RigInstance& a_ = rig_.NewInstance({.rehearsed = 1, .held = &held_});
  std::vector<Hit> hits_;
  AskedCheck check_;
};

TEST_P(FailingAllocationTest, NoneInHealth) {
  In(3000);
  EXPECT_EQ(In(3000), 0U);
}

TEST_P(FailingAllocationTest, NoneInAnOutage) {
  In(3000);
  a_.remote.fault = Fault::kRefuse;
  In(3000);
  EXPECT_EQ(In(3000), 0U);
}

INSTANTIATE_TEST_SUITE_P(Modes, FailingAllocationTest,
                         testing::Values(FailureMode::kOpen, FailureMode::kClosed,
                                         FailureMode::kLocalShare, FailureMode::kStatic),
                         [](const auto& mode) { return std::string(NameOf(mode.param)); });

}  // namespace
}  // namespace weir
