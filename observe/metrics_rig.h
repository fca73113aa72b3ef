#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "observe/reference_metrics.h"
#include "test/rule_tree.h"
#include "weir/limiter/engine.h"
#include "weir/limiter/limiter.h"
#include "weir/store/memory_store.h"

namespace weir::observe {

// An engine over a memory store with a clock that stands, for tests of what reads them.
class MetricsRig {
 public:
  explicit MetricsRig(std::vector<DomainRules> domains, Profile profile = Profile::kNative)
      : store_({.max_keys = 1000, .now = kStart}), engine_(store_, Keys()), limiter_(engine_, 0) {
    engine_.SetPolicy(Policy::Build(std::move(domains), OptionsOf(profile)));
    limiter_.BeginTurn();
  }

  // Asks once, with one descriptor.  The check and decision stay until the next call.
  const Decision& Ask(std::string_view domain, std::vector<Entry> entries, std::uint64_t cost = 1) {
    entries_ = std::move(entries);
    descriptor_ = Descriptor{};
    descriptor_.entries = entries_;
    return AskFor(domain, cost);
  }

  // The same, with a limit that the request brings along.
  const Decision& AskWithLimit(std::string_view domain, std::vector<Entry> entries,
                               LimitOverride limit) {
    entries_ = std::move(entries);
    descriptor_ = Descriptor{};
    descriptor_.entries = entries_;
    descriptor_.limit = limit;
    return AskFor(domain, 1);
  }

  static constexpr Now kStart{.steady = Instant(std::chrono::seconds(60)),
                              .wall = WallTime(std::chrono::seconds(1'768'399'320))};
  Now now = kStart;
  std::string id;  // Of the requests to come.
  std::string traceparent;

  Engine& engine() { return engine_; }
  MemoryStore& store() { return store_; }
  Engines engines() const { return all_; }
  const Request& request() const { return request_; }
  const Check& check() const { return check_; }
  const Decision& decision() const { return decision_; }

 private:
  static EngineOptions Keys() {
    EngineOptions options;
    options.keys = true;
    return options;
  }

  const Decision& AskFor(std::string_view domain, std::uint64_t cost) {
    request_ = {.domain = domain, .descriptors = {&descriptor_, 1}, .cost = cost};
    request_.id = id;
    request_.traceparent = traceparent;
    limiter_.Match(request_, now, check_);
    const std::array<Check*, 1> batch = {&check_};
    limiter_.Commit(batch, now);
    decision_ = limiter_.Settle(check_);
    return decision_;
  }

  MemoryStore store_;
  Engine engine_;
  Limiter limiter_;
  const std::array<const Engine*, 1> all_ = {&engine_};
  std::vector<Entry> entries_;
  Descriptor descriptor_;
  Request request_;
  Check check_;
  Decision decision_;
};

}  // namespace weir::observe
