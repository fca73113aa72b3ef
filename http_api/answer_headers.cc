#include "http_api/answer_headers.h"

#include <algorithm>

namespace weir::http_api {
void AnswerHeaders::Gather(const Check& check, const Decision& decision, const Now& now,
                           std::uint64_t cost) {
  AppliedOf(check, applied_);
  facts_ = {};
  facts_.verdict = decision.verdict;
  facts_.retry_after = decision.retry_after;
  facts_.applied = applied_;
  facts_.now = now.wall;
  facts_.cost = cost;
  if (check.charging == Charging::kEach && options_.reference_headers) {
    GatherReference(check);
  } else {
    WriteHeaders(options_.headers, facts_, lines_);
  }
}

void AnswerHeaders::GatherReference(const Check& check) {
  StatusesOf(check, statuses_);
  ReferenceStatusesOf(check, statuses_, options_.global_quota, reference_);
  WriteReferenceHeaders(options_.reference_names, reference_, lines_);
}

std::span<const net::HttpHeader> AnswerHeaders::lines(std::span<const net::HttpHeader> extra) {
  std::size_t n = 0;
  for (const HeaderLine& line : lines_.lines()) http_[n++] = {line.name, line.value};
  for (const net::HttpHeader& header : extra.first(std::min(extra.size(), kMostExtra))) {
    http_[n++] = header;
  }
  return {http_.data(), n};
}

}  // namespace weir::http_api
