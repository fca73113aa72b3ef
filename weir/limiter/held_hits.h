#pragma once

#include <cstdint>

#include "weir/core/check.h"
#include "weir/failure/held_denials.h"

namespace weir {

struct HeldCounts {
  std::uint64_t lookups = 0;
  std::uint64_t hits = 0;
};

// How a check and the remembered denials meet: Take() before the store sees the check, PutBack()
// once it is complete, Remember() once it is settled.
//
// Steps of the Limiter and not a store around a store: the check itself carries what was taken out,
// so that no second check, no pool and no lock is needed whether the store answers at once or
// later; and where no denials are held, the whole price is one test for a null pointer a batch and
// one a decision.
namespace held_hits {

// Takes out of `check` the hits that a remembered denial answers; their outcomes have Basis::kHeld.
//
// - Charging::kEach: every denied hit by itself, also a peek; the others go to the store, and only
//   look if the check stands still when over.
// - Charging::kAllOrNothing: enforcing hits of cost 1 and more.  One that is denied denies the
//   whole check: of it only refunds reach the store, and its other rules read as untouched.
//
// A refund ends the denial of its counter.
void Take(HeldDenials& denials, const Now& now, Check& check, HeldCounts& counts);

// Puts them back in their places.
void PutBack(Check& check);

// Remembers the denials that the store gave to `check`, once it is settled: each until one unit is
// free, counted from when the check was committed, and so never for too long.  Rules without a say
// of their own are remembered under kEach only, where they are told by the rule.
//
// A denial ends with the window it was given in; with a change of its rule's numbers under the
// native profile, where that changes the counter's id, but not under the reference profile.
void Remember(HeldDenials& denials, const Check& check);

}  // namespace held_hits
}  // namespace weir
