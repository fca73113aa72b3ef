#include "weir/answer/headers.h"

#include <cassert>

#include "weir/answer/selection.h"
#include "weir/answer/structured_field.h"
#include "weir/answer/styles.h"

namespace weir {

void HeaderLines::EndLine(std::string_view name) {
  const std::string_view value = text_.TextFrom(start_);
  if (value.empty()) return;
  assert(size_ < kMost);
  lines_[size_++] = {name, value};
  start_ = text_.size();
}

void HeaderLines::AddNumber(std::string_view name, std::int64_t number) {
  text_.PutNumber(number);
  EndLine(name);
}

void WriteHeaders(const HeaderOptions& options, const AnswerFacts& facts, HeaderLines& out) {
  out.Clear();
  if (options.retry_after) {
    const std::int64_t seconds = RetryAfterSeconds(facts);
    if (seconds > 0) out.AddNumber("retry-after", seconds);
  }
  if (options.style == HeaderStyle::kOff || facts.applied.empty()) return;
  const Selection selection(facts);
  if (selection.policies().empty()) return;
  switch (options.style) {
    case HeaderStyle::kDraft11:
    case HeaderStyle::kDraft12:
    case HeaderStyle::kDual:
      return WriteDraftHeaders(options, facts, selection, out);
    default:
      return WriteOlderHeaders(options, facts, selection, out);
  }
}

}  // namespace weir
