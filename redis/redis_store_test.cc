#include "redis/redis_store.h"

#include <memory>

#include "redis/loop_rig.h"
#include "redis/server_for_test.h"
#include "weir/base/manual_clock.h"
#include "weir/store/store_contract.h"
#include "weir/store/store_contract_standstill.h"

namespace weir::redis {
namespace {

// Later than kContractStart by whole days: the scripts' time begins in 2025.
constexpr Duration kLater = std::chrono::hours(24) * 730;

Endpoint EndpointOf(const ServerForTest& server) {
  return ParseEndpoint(server.url(), [](const std::string&) { return std::string(); }).value();
}

// A store in a real server, whose clock the suite sets.
class RedisStoreUnderTest final : public StoreUnderTest {
 public:
  explicit RedisStoreUnderTest(const ServerForTest& server) {
    ClientForTest(server).Run({"FLUSHALL"});
    RedisStoreOptions options;
    options.store_clock = &clock_;
    store_ =
        std::make_unique<RedisStore>(rig_.loop(), EndpointOf(server), nullptr, options, nullptr);
    EXPECT_TRUE(rig_.RunUntil([&] { return store_->connection().ready(); }));
  }

  Store& store() override { return *store_; }
  Now now() const override { return clock_.Read(); }
  void Advance(Duration by) override { clock_.Advance(by); }
  void Complete() override {
    EXPECT_TRUE(rig_.RunUntil([&] { return store_->pending() == 0; }));
  }

 private:
  ManualClock clock_{{.steady = kContractStart.steady, .wall = kContractStart.wall + kLater}};
  LoopRig rig_;
  std::unique_ptr<RedisStore> store_;
  net::TurnHook poll_{rig_.loop(), net::TurnHook::When::kEnd,
                      [this] { store_->Poll(rig_.loop().now()); }};
};

const ServerForTest& ContractServer() {
  static const ServerForTest server;
  return server;
}

INSTANTIATE_TEST_SUITE_P(Redis, StoreContract, testing::Values(StoreFactory([] {
                           return std::make_unique<RedisStoreUnderTest>(ContractServer());
                         })));

}  // namespace
}  // namespace weir::redis
