#include "http_api/answer_headers.h"

#include <algorithm>
#include <limits>

namespace weir::http_api {
namespace {

std::uint32_t Saturated(std::uint64_t n) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(n, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

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
  reference_.clear();
  for (const DescriptorStatus& status : statuses_) {
    ReferenceStatus& to = reference_.emplace_back();
    if (status.quota == nullptr) continue;
    to.has_limit = true;
    to.hard_over = status.over && !options_.global_quota && !status.rule->quota_mode;
    to.limit = Saturated(status.quota->limit);
    to.remaining = Saturated(status.remaining);
    to.reset_seconds = CeilSeconds(status.reset);
  }
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
