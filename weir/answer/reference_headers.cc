#include "weir/answer/reference_headers.h"

namespace weir {

void WriteReferenceHeaders(const ReferenceHeaderNames& names,
                           std::span<const ReferenceStatus> statuses, HeaderLines& out) {
  out.Clear();
  const ReferenceStatus* chosen = nullptr;
  bool over = false;
  for (const ReferenceStatus& status : statuses) {
    if (!status.has_limit) continue;
    if (status.hard_over) {
      chosen = &status;
      over = true;
    } else if (!over && (chosen == nullptr || status.remaining < chosen->remaining)) {
      chosen = &status;
    }
  }
  if (chosen == nullptr) return;
  out.AddNumber(names.limit, chosen->limit);
  out.AddNumber(names.remaining, chosen->remaining);
  out.AddNumber(names.reset, chosen->reset_seconds);
}

}  // namespace weir
