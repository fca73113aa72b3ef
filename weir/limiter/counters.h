#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "weir/base/counter.h"
#include "weir/core/check.h"
#include "weir/core/policy.h"
#include "weir/limiter/settle.h"

namespace weir {

// Everything counted about a rule, as plain numbers.  The first six mean what they mean in
// envoyproxy/ratelimit; the others count decisions that the rule was binding for.
struct RuleTotals {
  std::uint64_t total_hits = 0;
  std::uint64_t over_limit = 0;
  std::uint64_t near_limit = 0;
  std::uint64_t within_limit = 0;
  std::uint64_t shadow_mode = 0;
  std::uint64_t over_limit_with_local_cache = 0;
  std::array<std::uint64_t, 9> allowed{};  // By basis.
  std::array<std::uint64_t, 9> denied{};   // By basis; 503s among them.
  std::uint64_t shadow_denied = 0;         // Requests it would have denied.

  RuleTotals& operator+=(const RuleTotals& other);
  bool operator==(const RuleTotals&) const = default;
};

// One loop's counts of one rule.  Written by that loop only, read by anyone.
class RuleCell {
 public:
  void AddHits(const Attribution& a, bool held);
  void AddDecision(const Decision& decision);
  void AddShadowDenial() { shadow_denied_.Add(1); }
  void AddTo(RuleTotals& totals) const;

 private:
  CounterCell total_hits_, over_limit_, near_limit_, within_limit_, shadow_mode_, held_;
  std::array<CounterCell, 9> allowed_, denied_;
  CounterCell shadow_denied_;
};

// Everything counted about a domain.
struct DomainTotals {
  std::array<std::uint64_t, kTransports> requests{};  // By transport.
  std::uint64_t unmatched = 0;                        // Descriptors without a rule.

  DomainTotals& operator+=(const DomainTotals& other);
  bool operator==(const DomainTotals&) const = default;
};

// One loop's counts of one domain; as RuleCell.
class DomainCell {
 public:
  void AddRequest(Transport transport) { requests_[static_cast<std::size_t>(transport)].Add(1); }
  void AddUnmatched() { unmatched_.Add(1); }
  void AddTo(DomainTotals& totals) const;

 private:
  std::array<CounterCell, kTransports> requests_;
  CounterCell unmatched_;
};

// A cell for each loop, apart in memory, so that loops do not share cache lines.
template <typename Cell, typename Sum>
class PerLoop {
 public:
  explicit PerLoop(std::size_t loops) : cells_(loops) {}
  Cell& cell(std::size_t loop) { return cells_[loop].cell; }
  Sum Totals() const {
    Sum totals;
    for (const Padded& padded : cells_) padded.cell.AddTo(totals);
    return totals;
  }

 private:
  struct alignas(64) Padded {
    Cell cell;
  };
  std::vector<Padded> cells_;
};
using RuleCounters = PerLoop<RuleCell, RuleTotals>;
using DomainCounters = PerLoop<DomainCell, DomainTotals>;

// Counts whose names come from requests: metric keys with values, unknown domains.  Bounded: past
// `kMostNames` further names are folded into "__other__".
//
// Thread-safe; the lock is one shard's own, so that only a reader ever contends for it.
class NamedCounters {
 public:
  static constexpr std::size_t kMostNames = 10'000;
  static constexpr std::string_view kOther = "__other__";

  void Add(std::string_view name, const Attribution& a, bool held = false);
  void AddNotFound(std::string_view domain);

  void AddTo(std::map<std::string, RuleTotals, std::less<>>& totals) const;
  void AddNotFoundTo(std::map<std::string, std::uint64_t, std::less<>>& totals) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
  };
  template <typename T>
  using ByName = std::unordered_map<std::string, T, Hash, std::equal_to<>>;
  template <typename T>
  static T& Slot(ByName<T>& map, std::string_view name);

  mutable std::mutex mutex_;
  ByName<RuleTotals> hits_;
  ByName<std::uint64_t> not_found_;
};

// Hits that the store gave no count for: which rule, what was done instead, and why.
struct Fallback {
  std::string domain;
  std::string rule;  // Its id.
  Basis basis = Basis::kOpen;
  Cause cause = Cause::kNone;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang 14 sees a 0 in the defaulted operator.
  auto operator<=>(const Fallback&) const = default;
};

// One loop's fallbacks.  Nothing is spent while the store counts.  Bounded: past `kMostRows`
// further rows are folded into one of the rule `__other__`.
//
// Thread-safe; the lock is this loop's own, so that only a reader ever contends for it.
class FallbackCounters {
 public:
  static constexpr std::size_t kMostRows = 10'000;

  void Add(const Rule& rule, Basis basis, Cause cause);
  void AddTo(std::map<Fallback, std::uint64_t>& totals) const;

 private:
  struct Row {
    Fallback what;
    std::uint64_t count = 0;
  };

  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, Row> rows_;
};

// What a loop counts beside rules.
struct LoopCounters {
  CounterCell requests;
  CounterCell unmatched;       // Descriptors of a known domain without a rule.
  CounterCell unknown_domain;  // Requests for a domain that no policy has.
  DomainCell elsewhere;        // The same, by transport; its `unmatched` stays 0.
  CounterCell held_lookups;    // Hits looked for among the remembered denials,
  CounterCell held_hits;       // and those found there.
  NamedCounters named;
  FallbackCounters fallbacks;
};

}  // namespace weir
