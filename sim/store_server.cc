#include "sim/store_server.h"

#include <array>

#include "weir/base/hash.h"
#include "weir/failure/learned_share.h"

namespace weir::sim {
namespace {

constexpr std::size_t kKeys = 100'000;

std::unique_ptr<MemoryStore> NewMemory(const Now& start) {
  return std::make_unique<MemoryStore>(
      MemoryStoreOptions{.max_keys = kKeys, .max_bytes = 0, .now = start});
}

// Whether the check spent nothing, whatever some of its hits say.
bool Denied(const Check& check) {
  if (check.charging == Charging::kEach) return false;
  for (std::size_t i = 0; i < check.hits.size(); ++i) {
    if (!check.outcomes[i].allowed && check.hits[i].not_enforced == NotEnforced::kNo) return true;
  }
  return false;
}

bool Learns(const Hit& hit) {
  return hit.purpose == Purpose::kCharge && hit.rule != nullptr && hit.rule->on_store_failure &&
         hit.rule->on_store_failure->split == ShareSplit::kLearned;
}

}  // namespace

StoreServer::StoreServer(const Now& start, Duration ahead, std::uint64_t seed)
    : start_(start), ahead_(ahead), seed_(seed), primary_(NewMemory(start)) {}

void StoreServer::KeepReplica(Duration lag) {
  replica_ = NewMemory(start_);
  lag_ = lag;
}

// A forgotten key is one that goes by another name from then on.
std::uint64_t StoreServer::Renamed(std::uint64_t id) const {
  std::uint64_t name = id;
  for (std::size_t i = 0; i < evictions_.size(); ++i) {
    const std::uint64_t draw = MixHash(MixHash(seed_, i), id);
    if (draw % evictions_[i] == 0) name = MixHash(name, draw);
  }
  return name;
}

void StoreServer::Execute(Check& check, Duration t) {
  const bool renamed = !evictions_.empty();
  std::vector<std::uint64_t> ids;
  if (renamed) {
    for (Hit& hit : check.hits) {
      ids.push_back(hit.id);
      hit.id = Renamed(hit.id);
    }
  }
  const std::array<Check*, 1> batch = {&check};
  primary_->Commit(batch, NowAt(t));
  const bool denied = Denied(check);
  for (std::size_t i = 0; i < check.hits.size(); ++i) {
    if (!Learns(check.hits[i])) continue;
    CountEpoch(check.hits[i], denied ? 0 : check.hits[i].cost, check.outcomes[i], t);
  }
  if (replica_) {
    if (!denied) {
      for (std::size_t i = 0; i < check.hits.size(); ++i) {
        const Hit& hit = check.hits[i];
        if (!check.outcomes[i].allowed || hit.purpose == Purpose::kProbe) continue;
        behind_.push_back({t, hit, *hit.quota});
      }
    }
    Replicate(t - lag_);
  }
  for (std::size_t i = 0; i < ids.size(); ++i) check.hits[i].id = ids[i];
}

void StoreServer::CountEpoch(const Hit& hit, std::uint64_t cost, Outcome& outcome, Duration t) {
  Epochs& epochs = epochs_[hit.id];
  const std::int64_t number = EpochNumber(EpochOf(hit.quota->window), WallAt(t));
  if (number != epochs.number) {
    epochs.closed = number == epochs.number + 1 ? epochs.open : 0;
    epochs.open = 0;
    epochs.number = number;
  }
  if (outcome.allowed && !hit.refund) epochs.open += cost;
  outcome.fleet = epochs.closed;
}

void StoreServer::Replicate(Duration until) {
  while (!behind_.empty() && behind_.front().at <= until) {
    Written& written = behind_.front();
    Check check;
    check.hits.push_back(written.hit);
    check.hits[0].quota = &written.quota;
    check.hits[0].key = {};
    const std::array<Check*, 1> batch = {&check};
    replica_->Commit(batch, NowAt(written.at));
    behind_.pop_front();
  }
}

void StoreServer::FailOver(Duration t) {
  if (!replica_) return;
  Replicate(t - lag_);
  behind_.clear();
  primary_ = std::move(replica_);
  replica_ = NewMemory(start_);  // A new one, which begins from nothing.
}

void StoreServer::Evict(std::uint32_t one_in) {
  evictions_.push_back(one_in == 0 ? 1 : one_in);
}

}  // namespace weir::sim
