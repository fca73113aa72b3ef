#include "weir/store/memory_store.h"

#include <memory>

#include "weir/base/manual_clock.h"
#include "weir/store/store_contract_standstill.h"

namespace weir {
namespace {

class MemoryStoreUnderTest final : public StoreUnderTest {
 public:
  Store& store() override { return store_; }
  Now now() const override { return clock_.Read(); }
  void Advance(Duration by) override { clock_.Advance(by); }

 private:
  ManualClock clock_{kContractStart};
  MemoryStore store_{{.max_keys = 10'000, .max_bytes = 0, .now = kContractStart}};
};

INSTANTIATE_TEST_SUITE_P(Memory, StoreContract, testing::Values(StoreFactory([] {
                           return std::make_unique<MemoryStoreUnderTest>();
                         })));

}  // namespace
}  // namespace weir
