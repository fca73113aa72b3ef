#pragma once

#include <memory>
#include <vector>

#include "net/timer.h"
#include "weir/limiter/limiter.h"

namespace weir::net {
class Loop;
}

namespace weir::cli {

// The running example's traffic: acme 120/s, globex 20/s, initech 5/s, evenly spaced, over all
// instances in turn.  Asks each instance's engine as an embedding application would.  Belongs to
// the loop's thread.
class DemoTraffic {
 public:
  // Uses the last limiter of each engine.  All must outlive this.
  DemoTraffic(net::Loop& loop, const std::vector<Engine*>& engines);

 private:
  struct Tenant {
    const char* name;
    Duration every;
    Instant next{};
    std::size_t turn = 0;
  };

  void OnTime();

  net::Loop& loop_;
  std::vector<std::unique_ptr<Limiter>> limiters_;
  std::vector<Tenant> tenants_;
  net::Timer timer_;
};

}  // namespace weir::cli
