#include "weir/failure/ledger.h"

#include <algorithm>
#include <utility>

namespace weir {

std::shared_ptr<const Rule> Ledger::CopyOf(Stripe& stripe, const Rule& rule) {
  std::weak_ptr<const Rule>& kept = stripe.rules[rule.id_hash];
  std::shared_ptr<const Rule> copy = kept.lock();
  if (copy == nullptr) {
    copy = std::make_shared<const Rule>(rule);
    kept = copy;
  }
  return copy;
}

void Ledger::Count(NodeId node) {
  size_.fetch_add(1, std::memory_order_relaxed);
  by_node_[node % kNodes].fetch_add(1, std::memory_order_relaxed);
}
void Ledger::Uncount(NodeId node) {
  size_.fetch_sub(1, std::memory_order_relaxed);
  by_node_[node % kNodes].fetch_sub(1, std::memory_order_relaxed);
}

bool Ledger::Add(const Hit& hit, NodeId node, const Share& share, bool capped, Instant until,
                 Instant now) {
  Stripe& stripe = StripeOf(hit.id);
  const std::lock_guard lock(stripe.mutex);
  auto found = stripe.owed.find(hit.id);
  if (found == stripe.owed.end()) {
    if (size() >= most_) SweepStripe(stripe, now);
    if (size() >= most_) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    Owed owed{.id = hit.id,
              .key = std::string(hit.key),
              .rule = CopyOf(stripe, *hit.rule),
              .quota = *hit.quota};
    found = stripe.owed.emplace(hit.id, std::move(owed)).first;
    Count(node);
  } else if (found->second.node != node) {
    Uncount(found->second.node);
    Count(node);
  }
  Owed& owed = found->second;
  owed.node = node;
  owed.share = share;
  owed.capped = owed.capped || capped;
  owed.until = std::max(owed.until, until);
  return true;
}

std::optional<Ledger::Owed> Ledger::Take(std::uint64_t id) {
  if (empty()) return std::nullopt;
  Stripe& stripe = StripeOf(id);
  const std::lock_guard lock(stripe.mutex);
  const auto found = stripe.owed.find(id);
  if (found == stripe.owed.end()) return std::nullopt;
  Owed owed = std::move(found->second);
  stripe.owed.erase(found);
  Uncount(owed.node);
  return owed;
}

void Ledger::TakeSome(std::size_t most, NodeId node, std::vector<Owed>& out) {
  const std::size_t first = next_.fetch_add(1, std::memory_order_relaxed);
  for (std::size_t i = 0; i < kStripes && most > 0 && OwedTo(node) > 0; ++i) {
    Stripe& stripe = stripes_[(first + i) % kStripes];
    const std::lock_guard lock(stripe.mutex);
    for (auto it = stripe.owed.begin(); it != stripe.owed.end() && most > 0;) {
      if (it->second.node != node) {
        ++it;
        continue;
      }
      out.push_back(std::move(it->second));
      it = stripe.owed.erase(it);
      Uncount(node);
      --most;
    }
  }
}

void Ledger::PutBack(Owed owed) {
  Stripe& stripe = StripeOf(owed.id);
  const std::lock_guard lock(stripe.mutex);
  const auto [at, fresh] = stripe.owed.try_emplace(owed.id);
  if (fresh) {
    Count(owed.node);
    at->second = std::move(owed);
    return;
  }
  at->second.capped = at->second.capped || owed.capped;
  at->second.until = std::max(at->second.until, owed.until);
}

void Ledger::Sweep(Instant now) {
  Stripe& stripe = stripes_[next_.fetch_add(1, std::memory_order_relaxed) % kStripes];
  const std::lock_guard lock(stripe.mutex);
  SweepStripe(stripe, now);
}

void Ledger::SweepStripe(Stripe& stripe, Instant now) {
  std::erase_if(stripe.owed, [&](const auto& item) {
    const bool gone = item.second.until <= now;
    if (gone) Uncount(item.second.node);
    return gone;
  });
  std::erase_if(stripe.rules, [](const auto& item) { return item.second.expired(); });
}

}  // namespace weir
