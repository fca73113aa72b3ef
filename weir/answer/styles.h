#pragma once

#include "weir/answer/headers.h"
#include "weir/answer/selection.h"

namespace weir {

// The two families of styles that WriteHeaders() chooses from.
// REQUIRES, of both: !selection.policies().empty()

// kDraft11, kDraft12, kDual.
void WriteDraftHeaders(const HeaderOptions& options, const AnswerFacts& facts,
                       const Selection& selection, HeaderLines& out);

// The older ones, whose single numbers describe the lowest policy.  The limit of a token bucket is
// its capacity there, so that `remaining` never exceeds it, and reset tells when it is full again,
// except that -03 to -07 want it equal to Retry-After on a denial.
void WriteOlderHeaders(const HeaderOptions& options, const AnswerFacts& facts,
                       const Selection& selection, HeaderLines& out);

}  // namespace weir
