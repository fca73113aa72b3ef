#include "weir/limiter/counters.h"

#include "weir/base/hash.h"

namespace weir {

RuleTotals& RuleTotals::operator+=(const RuleTotals& other) {
  total_hits += other.total_hits;
  over_limit += other.over_limit;
  near_limit += other.near_limit;
  within_limit += other.within_limit;
  shadow_mode += other.shadow_mode;
  over_limit_with_local_cache += other.over_limit_with_local_cache;
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    allowed.at(i) += other.allowed.at(i);
    denied.at(i) += other.denied.at(i);
  }
  shadow_denied += other.shadow_denied;
  return *this;
}

void RuleCell::AddHits(const Attribution& a, bool held) {
  total_hits_.Add(a.total);
  if (a.within != 0) within_limit_.Add(a.within);
  if (a.near != 0) near_limit_.Add(a.near);
  if (a.over != 0) over_limit_.Add(a.over);
  if (a.shadow != 0) shadow_mode_.Add(a.shadow);
  if (held) held_.Add(a.over);
}

void RuleCell::AddDecision(const Decision& decision) {
  auto& cells = decision.allowed() ? allowed_ : denied_;
  cells.at(static_cast<std::size_t>(decision.basis)).Add(1);
}

void RuleCell::AddTo(RuleTotals& totals) const {
  totals.total_hits += total_hits_.Read();
  totals.over_limit += over_limit_.Read();
  totals.near_limit += near_limit_.Read();
  totals.within_limit += within_limit_.Read();
  totals.shadow_mode += shadow_mode_.Read();
  totals.over_limit_with_local_cache += held_.Read();
  for (std::size_t i = 0; i < allowed_.size(); ++i) {
    totals.allowed.at(i) += allowed_.at(i).Read();
    totals.denied.at(i) += denied_.at(i).Read();
  }
  totals.shadow_denied += shadow_denied_.Read();
}

DomainTotals& DomainTotals::operator+=(const DomainTotals& other) {
  for (std::size_t i = 0; i < kTransports; ++i) requests.at(i) += other.requests.at(i);
  unmatched += other.unmatched;
  return *this;
}

void DomainCell::AddTo(DomainTotals& totals) const {
  for (std::size_t i = 0; i < kTransports; ++i) totals.requests.at(i) += requests_.at(i).Read();
  totals.unmatched += unmatched_.Read();
}

template <typename T>
T& NamedCounters::Slot(ByName<T>& map, std::string_view name) {
  if (const auto there = map.find(name); there != map.end()) return there->second;
  if (map.size() >= kMostNames) name = kOther;
  return map[std::string(name)];
}

void NamedCounters::Add(std::string_view name, const Attribution& a, bool held) {
  const std::lock_guard lock(mutex_);
  RuleTotals& totals = Slot(hits_, name);
  totals.total_hits += a.total;
  totals.within_limit += a.within;
  totals.near_limit += a.near;
  totals.over_limit += a.over;
  totals.shadow_mode += a.shadow;
  if (held) totals.over_limit_with_local_cache += a.over;
}

void NamedCounters::AddNotFound(std::string_view domain) {
  const std::lock_guard lock(mutex_);
  ++Slot(not_found_, domain);
}

void NamedCounters::AddTo(std::map<std::string, RuleTotals, std::less<>>& totals) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, counts] : hits_) totals[name] += counts;
}

void NamedCounters::AddNotFoundTo(std::map<std::string, std::uint64_t, std::less<>>& totals) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [domain, count] : not_found_) totals[domain] += count;
}

void FallbackCounters::Add(const Rule& rule, Basis basis, Cause cause) {
  const std::uint64_t what =
      static_cast<std::uint64_t>(basis) << 8U | static_cast<std::uint64_t>(cause);
  const std::lock_guard lock(mutex_);
  const bool full = rows_.size() >= kMostRows;
  auto found = rows_.find(MixHash(rule.id_hash, what));
  if (found == rows_.end()) {
    const std::uint64_t key = full ? what : MixHash(rule.id_hash, what);
    Fallback row{rule.domain, rule.id, basis, cause};
    if (full) row.domain = row.rule = NamedCounters::kOther;
    found = rows_.try_emplace(key, Row{std::move(row), 0}).first;
  }
  ++found->second.count;
}

void FallbackCounters::AddTo(std::map<Fallback, std::uint64_t>& totals) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, row] : rows_) totals[row.what] += row.count;
}

}  // namespace weir
