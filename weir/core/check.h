#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "weir/base/arena.h"
#include "weir/core/decision.h"
#include "weir/core/descriptor.h"
#include "weir/core/policy.h"
#include "weir/core/transport.h"

namespace weir {

// How the hits of a check are charged.
enum class Charging : std::uint8_t {
  kAllOrNothing,  // If one enforcing hit is denied, nothing is spent anywhere.
  kEach,          // Every hit is added whatever the others say, also beyond its limit
                  // (envoyproxy/ratelimit).
};

// Charging::kEach only: whether counters stand still once one of the check's is over.
enum class Standstill : std::uint8_t {
  kNo,
  kWhenOver,  // If a hit would go over its limit, only hits that would are added; the others look.
  kNow,       // One is known to be over: every hit looks.
};

// Which store node answers for a hit; breakers are per node.  A memory store has one.
using NodeId = std::uint16_t;

// What a hit is for.
enum class Purpose : std::uint8_t {
  kCharge,  // To be counted for a request, or given back (Hit::refund).
  // To learn whether the node can count: does all that a charge would, writing included, and counts
  // nothing.  Only `id` and `key` are set; the outcome has a cause or none.
  kProbe,
  // Admitted without the store and added to its count now; never denied.  `cost` is units for
  // windows, admitted at `charged` on the store's clock (dropped if that window is closed; the
  // count stops at the limit if `capped`), and ticks for token buckets; see algorithm/hand_back.h.
  kHandBack,
};

// One rule to be charged for one request.
struct Hit {
  const Rule* rule = nullptr;
  const Quota* quota = nullptr;
  std::uint64_t id = 0;           // Of the counter; never 0.
  std::uint64_t previous_id = 0;  // Where a changed rule kept this counter before; 0 if nowhere.
  std::string_view key;           // The counter's text, where the store needs one.
  std::uint64_t cost = 1;         // 0 looks without spending.
  std::uint32_t descriptor = 0;
  bool refund = false;  // Gives back instead; always allowed.
  WallTime charged{};   // For a refund: when the cost was spent, if known.
  NotEnforced not_enforced = NotEnforced::kNo;
  Purpose purpose = Purpose::kCharge;
  bool capped = false;  // kHandBack only.
};

// What the rule's mode, kept running beside the store, would have answered.
enum class Rehearsed : std::uint8_t { kNot, kAgreed, kStricter, kLooser };

// What a store says of one hit: a count, or (`cause`) why there is none.
struct Outcome {
  bool allowed = true;
  Basis basis = Basis::kStore;
  Cause cause = Cause::kNone;
  bool added = true;  // False: the check stood still, and the hit only looked.
  NodeId node = 0;
  // The level after the hit (before it, where it was denied without spending).  Token bucket: ticks
  // until full.  Windows: units counted, for sliding windows the weighted estimate, rounded up.
  std::uint64_t used = 0;
  Duration retry{};  // Until this cost would pass; zero if it passed, kNeverFits if it cannot.
  Duration reset{};  // Until untouched.
  // Until one more unit is free; sliding windows and local counts only, others derive it.
  Duration next{};
  // Whole units that are left.  Settle() derives it from `used`.
  std::uint64_t remaining = 0;

  // -- what a shared store says besides --
  WallTime at{};             // When it counted, on its own clock; WallTime{}: it does not tell.
  std::uint64_t before = 0;  // Sliding windows: the part of `used` that is the last window's.
  // Rules with `split: learned`: cost admitted for the key, by all instances, in the last closed
  // epoch (failure/share.h) at `at`.
  std::uint64_t fleet = 0;
  // With a cause: the hit may have been counted all the same.  Without this it surely was not.
  bool ambiguous = false;

  Rehearsed rehearsed = Rehearsed::kNot;
};

// A hit that a remembered denial answered: out of the store's sight until the check is settled.
struct HeldHit {
  std::uint32_t place = 0;  // Where it was, and will be again, in `hits`.
  Hit hit;
  Outcome outcome;
};

// How a descriptor of the request fared in matching; one for each, in order.
struct DescriptorMatch {
  enum class Kind : std::uint8_t {
    kNoDomain,
    kNoRule,
    kUnlimited,
    kReplaced,  // Another descriptor's rule took this one's place: not counted.
    kCounted,
  };
  static constexpr std::uint32_t kNoHit = ~std::uint32_t{0};

  Kind kind = Kind::kNoRule;
  const Rule* rule = nullptr;
  Policy::NodeIndex node = Policy::kNone;  // kNone for a limit with no rule behind it.
  std::uint64_t values = 0;                // Hash of the values that the rule leaves open.
  std::uint32_t hit = kNoHit;              // Its place in `hits`, when counted.
  bool overridden = false;                 // The request's own limit applies.
  std::string_view stat_key;  // Reference profile: the metric key, if it depends on the request.
};

// The hits of one request, charged together, and all the context that settling them needs.
//
// Comes from its caller's pool and keeps its capacity.  Between Store::Commit() and Done() a
// pending check belongs to the store; a caller who no longer wants the answer only stops looking.
class Check {
 public:
  Check() = default;
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;
  virtual ~Check() = default;

  // Called exactly once for a check that Commit() left pending, on the thread that committed it.
  virtual void Done() {}

  Transport transport = Transport::kLibrary;  // Its maker's; Clear() keeps it.
  Charging charging = Charging::kAllOrNothing;
  Standstill standstill = Standstill::kNo;
  Instant deadline = kNever;
  bool pending = false;
  Policy::NodeIndex domain = Policy::kNone;  // Of the request; kNone if the policy has none such.
  // Which call to its node carried the check: a store that packs several checks into one call gives
  // them one number, so that a call that fails is one failure.  0: a call by itself.
  std::uint64_t call = 0;
  std::shared_ptr<const Policy> pin;  // Set while pending: keeps the rules alive.
  std::vector<Hit> hits;              // Enforcing ones first.
  std::vector<Outcome> outcomes;      // Same size and order once complete.
  std::vector<DescriptorMatch> matches;
  std::vector<HeldHit> held;     // In rising order of place.
  Now committed{};               // When it was committed; set where denials are held.
  std::vector<Quota> overrides;  // Limits the request brought along; `hits` point here.
  Arena arena;

  // Empties everything, keeps the memory.
  void Clear() {
    charging = Charging::kAllOrNothing;
    standstill = Standstill::kNo;
    deadline = kNever;
    pending = false;
    domain = Policy::kNone;
    call = 0;
    pin.reset();
    hits.clear();
    outcomes.clear();
    matches.clear();
    held.clear();
    overrides.clear();
    arena.Reset();
  }
};

}  // namespace weir
