// What an embedding application writes: it asks at once, and it asks and is called back.  Says on
// standard error what went wrong, and exits with 1.

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include <weir/base/system_clock.h>
#include <weir/limiter/limiter.h>
#include <weir/store/memory_store.h>

namespace {

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "consumer: %s\n", what);
  std::exit(1);
}

// Three logins a minute for each tenant.
std::vector<weir::DomainRules> Rules() {
  weir::RuleNode node;
  node.key = "tenant";
  node.rule.emplace();
  node.rule->quota = weir::MakeQuota({.limit = 3, .unit = weir::Unit::kMinute}).value();
  weir::DomainRules shop;
  shop.name = "shop";
  shop.children = {std::move(node)};
  return {std::move(shop)};
}

}  // namespace

int main() {
  const weir::SystemClock clock;
  weir::MemoryStore store({.now = clock.Read()});
  weir::Engine engine(store, {});
  engine.SetPolicy(weir::Policy::Build(Rules(), {.seed = 1}));
  weir::Limiter limiter(engine, 0);
  const weir::Entry entry{"tenant", "acme"};
  const weir::Descriptor descriptor{.entries = {&entry, 1}};
  const weir::Request request{"shop", {&descriptor, 1}};

  for (int call = 1; call <= 3; ++call) {
    Require(limiter.Check(request, clock.Read()).allowed(), "a call within the limit was denied");
  }
  const weir::Decision denied = limiter.Check(request, clock.Read());
  Require(denied.verdict == weir::Verdict::kDeny, "the fourth call was not denied");
  Require(denied.rule->id == "shop/tenant", "the denial names no rule");
  Require(weir::CeilSeconds(denied.retry_after) <= 20, "the wait is longer than one unit takes");

  // The same without waiting for the answer: a memory store gives it inside Start(), a shared one
  // inside a later Poll().
  int answers = 0;
  bool allowed = true;
  limiter.Start(request, clock.Read(), [&](const weir::Decision& decision) {
    ++answers;
    allowed = decision.allowed();
  });
  limiter.Poll(clock.Read());
  Require(answers == 1, "the callback did not come exactly once");
  Require(!allowed, "the callback was told another answer");
  std::puts("consumer: three calls passed, the others were denied");
  return 0;
}
