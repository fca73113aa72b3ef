#pragma once

#include <cstdint>
#include <vector>

#include "weir/core/check.h"
#include "weir/failure/ledger.h"
#include "weir/failure/local_answers.h"

namespace weir {

class FailingStore;
struct Errand;

// A check of our own that is given to the remote store in place of a caller's: it may outlive the
// caller's, whose answer comes in time whatever the store does.  Owns its texts and quotas.
class Leg final : public Check {
 public:
  enum class Kind : std::uint8_t { kHits, kProbe, kGiveBack, kHandBack };

  explicit Leg(FailingStore& owner) : owner_(owner) {}
  void Done() override;

  // Empties it for another use.
  void Reset();
  // A copy of `hit` that needs nothing of its check.
  Hit& AddHit(const Hit& hit);

  Kind kind = Kind::kHits;
  Errand* errand = nullptr;  // Null once nobody waits for it.
  NodeId node = 0;
  std::uint32_t generation = 0;  // Of the node's breaker, when it was sent.
  Instant sent{};
  bool judged = false;                // Its call is counted already, as late.
  bool give_back = false;             // What it turns out to have spent is to be given back.
  std::vector<std::uint32_t> places;  // Of its hits in the caller's check.
  Ledger::Owed owed;                  // kHandBack.

  // In the order of sending, while the call is not judged.
  Leg* earlier = nullptr;
  Leg* later = nullptr;

 private:
  FailingStore& owner_;
};

// One caller's check on its way: which hits are asked of which node, and which are answered here.
struct Errand {
  struct Local {
    std::uint32_t hit = 0;
    LocalPlan plan{};
    bool charged = false;
  };

  Check* outer = nullptr;
  Instant asked{};
  Instant deadline{};
  std::uint64_t ticket = 0;  // Tells this use from earlier ones.
  std::size_t waiting = 0;
  bool inside = false;  // Of Commit(): no Done() is owed.
  std::vector<Leg*> legs;
  std::vector<Local> locals;
};

}  // namespace weir
