// What a decision costs inside a process: no sockets, one thread, batches as a loop makes them.
// usage: bench_library [--benchmark_filter=REGEX]

#include <memory>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "weir/base/system_clock.h"
#include "weir/limiter/limiter.h"
#include "weir/store/memory_store.h"

namespace weir {
namespace {

constexpr std::size_t kBatch = 16;
constexpr std::size_t kKeys = 100'000;

Rule RuleOf(Algorithm algorithm) {
  Rule rule;
  // Never reached: every decision spends.
  rule.quota = *MakeQuota({.algorithm = algorithm, .limit = 1'000'000, .unit = Unit::kDay});
  return rule;
}

// The store alone: hits that are matched already, 16 to a batch, 100,000 keys at random.
void BM_StoreBatch(benchmark::State& state) {
  const SystemClock clock;
  const auto algorithm = static_cast<Algorithm>(state.range(0));
  MemoryStore store({.max_keys = kKeys, .max_bytes = 0, .now = clock.Read()});
  const Rule rule = RuleOf(algorithm);
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> ids(kKeys);
  for (auto& id : ids) id = random();
  std::vector<std::uint64_t> order(std::size_t{1} << 18U);
  for (auto& id : order) id = ids[random() % kKeys];
  std::vector<std::unique_ptr<Check>> checks;
  std::vector<Check*> batch;
  for (std::size_t i = 0; i < kBatch; ++i) {
    checks.push_back(std::make_unique<Check>());
    checks.back()->hits.push_back({.rule = &rule, .quota = &rule.quota, .key = {}});
    batch.push_back(checks.back().get());
  }
  std::size_t at = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < kBatch; ++i) checks[i]->hits[0].id = order[at + i];
    at = (at + kBatch) % order.size();
    store.Commit(batch, clock.Read());
    benchmark::DoNotOptimize(checks[0]->outcomes[0].allowed);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
  state.SetLabel(std::string(NameOf(algorithm)));
}
BENCHMARK(BM_StoreBatch)->Arg(0)->Arg(1)->Arg(2);

std::shared_ptr<const Policy> PolicyOf(std::size_t rules) {
  DomainRules shop;
  shop.name = "shop";
  for (std::size_t i = 0; i < rules; ++i) {
    RuleNode node;
    node.key = "tenant";
    node.value = "tenant-" + std::to_string(i);
    node.rule = RuleOf(Algorithm::kTokenBucket);
    shop.children.push_back(std::move(node));
  }
  return Policy::Build({std::move(shop)}, {.seed = 7, .fingerprint = {}});
}

// The whole of a decision, Match to Settle, with as many rules as the argument says; ten tenants
// ask, whatever the number of rules.
void BM_Decision(benchmark::State& state) {
  const SystemClock clock;
  MemoryStore store({.max_keys = kKeys, .max_bytes = 0, .now = clock.Read()});
  Engine engine(store, {.key_prefix = {}});
  const auto rules = static_cast<std::size_t>(state.range(0));
  engine.SetPolicy(PolicyOf(rules));
  Limiter limiter(engine, 0);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < 10; ++i)
    names.push_back("tenant-" + std::to_string(i * (rules / 10)));
  std::vector<std::unique_ptr<Check>> checks;
  std::vector<Check*> batch;
  for (std::size_t i = 0; i < kBatch; ++i) {
    checks.push_back(std::make_unique<Check>());
    batch.push_back(checks.back().get());
  }
  std::size_t asked = 0;
  limiter.BeginTurn();
  for (auto _ : state) {
    const Now now = clock.Read();
    for (Check* check : batch) {
      const Entry entry{"tenant", names[asked++ % names.size()]};
      Descriptor descriptor;
      descriptor.entries = {&entry, 1};
      limiter.Match({.domain = "shop", .descriptors = {&descriptor, 1}}, now, *check);
    }
    limiter.Commit(batch, now);
    for (Check* check : batch) benchmark::DoNotOptimize(limiter.Settle(*check));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
}
BENCHMARK(BM_Decision)->Arg(10)->Arg(10'000);

}  // namespace
}  // namespace weir

BENCHMARK_MAIN();
