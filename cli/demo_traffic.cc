#include "cli/demo_traffic.h"

#include <algorithm>

#include "net/loop.h"

namespace weir::cli {
namespace {

constexpr Duration Every(int per_second) {
  return Duration(std::chrono::seconds(1)) / per_second;
}

}  // namespace

DemoTraffic::DemoTraffic(net::Loop& loop, const std::vector<Engine*>& engines)
    : loop_(loop), timer_(loop, [this] { OnTime(); }) {
  for (Engine* engine : engines) {
    limiters_.push_back(std::make_unique<Limiter>(*engine, engine->options().limiters - 1));
  }
  const Instant now = loop.now().steady;
  tenants_ = {{"acme", Every(120), now}, {"globex", Every(20), now}, {"initech", Every(5), now}};
  timer_.Set(now);
}

void DemoTraffic::OnTime() {
  const Now now = loop_.now();
  Instant next = kNever;
  for (Tenant& tenant : tenants_) {
    // After a pause (a suspended laptop) the traffic goes on; it does not catch up.
    tenant.next = std::max(tenant.next, now.steady - std::chrono::seconds(1));
    for (; tenant.next <= now.steady; tenant.next += tenant.every) {
      const Entry entry{"tenant", tenant.name};
      Descriptor descriptor;
      descriptor.entries = {&entry, 1};
      Request request{.domain = "shop", .descriptors = {&descriptor, 1}};
      static_cast<void>(limiters_[tenant.turn++ % limiters_.size()]->Check(request, now));
    }
    next = std::min(next, tenant.next);
  }
  timer_.Set(next);
}

}  // namespace weir::cli
