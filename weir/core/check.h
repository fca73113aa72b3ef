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
};

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
  Duration next{};   // Until one more unit is free; stores say it for sliding windows only.
  // Whole units that are left.  Settle() derives it from `used`, and `next` for the others.
  std::uint64_t remaining = 0;
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
  std::shared_ptr<const Policy> pin;         // Set while pending: keeps the rules alive.
  std::vector<Hit> hits;                     // Enforcing ones first.
  std::vector<Outcome> outcomes;             // Same size and order once complete.
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
