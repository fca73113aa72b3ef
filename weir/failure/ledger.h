#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "weir/core/check.h"
#include "weir/core/share.h"

namespace weir {

// Which keys owe the store hits that were admitted without it, and surely not counted by it.  How
// much each owes is in the Mirror; this is what must be known to send it there.
//
// Bounded by `keys`: beyond, a key's debt is not written down, and counted.  A debt that time has
// cancelled (its window closed, its bucket full again) is swept.  A crash loses all of it.
//
// Thread-safe; belongs to the instance.  A key's first hit allocates, further ones do not.
class Ledger {
 public:
  struct Owed {
    std::uint64_t id = 0;
    std::string key{};
    std::shared_ptr<const Rule> rule{};  // A copy: the debt outlives its policy.
    Quota quota{};
    NodeId node = 0;
    Share share{};        // By which the key was enforced last.
    bool capped = false;  // Some of it was admitted without a verdict.
    Instant until{};      // When time has cancelled it.
  };

  explicit Ledger(std::size_t keys) : most_(keys) {}
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // The hit was admitted here.  False if the ledger is full.
  bool Add(const Hit& hit, NodeId node, const Share& share, bool capped, Instant until,
           Instant now);

  // Takes the key's entry: of several that ask, one gets it.
  std::optional<Owed> Take(std::uint64_t id);
  // Takes up to `most` of the node's entries; appends them.
  void TakeSome(std::size_t most, NodeId node, std::vector<Owed>& out);
  // How many keys owe the node something.  Nodes beyond kNodes are counted with others.
  static constexpr std::size_t kNodes = 256;
  std::size_t OwedTo(NodeId node) const {
    return by_node_[node % kNodes].load(std::memory_order_relaxed);
  }
  // It could not be sent after all.
  void PutBack(Owed owed);

  // Drops what time has cancelled, in one stripe after the other.
  void Sweep(Instant now);

  bool empty() const { return size() == 0; }
  std::size_t size() const { return size_.load(std::memory_order_relaxed); }
  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kStripes = 16;
  struct alignas(64) Stripe {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, Owed> owed;
    // One copy a rule, for as long as something of it is owed.
    std::unordered_map<std::uint64_t, std::weak_ptr<const Rule>> rules;
  };

  Stripe& StripeOf(std::uint64_t id) { return stripes_[(id >> 17U) % kStripes]; }
  static std::shared_ptr<const Rule> CopyOf(Stripe& stripe, const Rule& rule);
  void SweepStripe(Stripe& stripe, Instant now);
  void Count(NodeId node);
  void Uncount(NodeId node);

  const std::size_t most_;
  std::array<Stripe, kStripes> stripes_;
  std::atomic<std::size_t> size_{0};
  std::array<std::atomic<std::size_t>, kNodes> by_node_{};
  std::atomic<std::size_t> next_{0};
  std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace weir
