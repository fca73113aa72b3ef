#include "http_api/answer_headers.h"

#include <algorithm>
#include <limits>

namespace weir::http_api {
namespace {

NotEnforced WhyNotEnforced(const Check& check, const Hit& hit) {
  if (check.charging != Charging::kEach) return hit.not_enforced;
  if (hit.rule->shadow_mode) return NotEnforced::kShadow;
  return hit.rule->quota_mode ? NotEnforced::kSoft : NotEnforced::kNo;
}

std::uint32_t Clamp32(std::uint64_t n) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(n, std::numeric_limits<std::uint32_t>::max()));
}

ReferenceStatus ReferenceOf(const DescriptorStatus& status) {
  ReferenceStatus out;
  if (status.quota == nullptr) return out;
  out.has_limit = true;
  out.hard_over = status.over && (status.rule == nullptr || !status.rule->quota_mode);
  out.limit = Clamp32(status.quota->limit);
  out.remaining = Clamp32(status.remaining);
  out.reset_seconds = CeilSeconds(status.reset);
  return out;
}

}  // namespace

void AnswerHeaders::Gather(const Check& check, const Decision& decision, const Now& now,
                           std::uint64_t cost) {
  StatusesOf(check, statuses_);
  applied_.clear();
  for (const DescriptorMatch& match : check.matches) {
    if (match.kind != DescriptorMatch::Kind::kCounted) continue;
    const Hit& hit = check.hits[match.hit];
    if (hit.refund) continue;
    const Level level = LevelOf(hit, check.outcomes[match.hit]);
    Applied& applied = applied_.emplace_back();
    applied.rule = hit.rule;
    applied.quota = hit.quota;
    applied.remaining = level.remaining;
    applied.next = level.next;
    applied.reset = level.reset;
    applied.retry = level.retry;
    applied.denied = level.denied;
    applied.not_enforced = WhyNotEnforced(check, hit);
  }
  facts_ = {};
  facts_.verdict = decision.verdict;
  facts_.retry_after = decision.retry_after;
  facts_.applied = applied_;
  facts_.now = now.wall;
  facts_.cost = cost;
  if (!config_.reference) {
    WriteHeaders(config_.options, facts_, lines_);
    return;
  }
  reference_.clear();
  for (const DescriptorStatus& status : statuses_) reference_.push_back(ReferenceOf(status));
  WriteReferenceHeaders(*config_.reference, reference_, lines_);
}

std::span<const net::HttpHeader> AnswerHeaders::http(std::span<const net::HttpHeader> extra) {
  std::size_t n = 0;
  for (const HeaderLine& line : lines_.lines()) http_[n++] = {line.name, line.value};
  for (const net::HttpHeader& header : extra.first(std::min(extra.size(), kMostExtra))) {
    http_[n++] = header;
  }
  return {http_.data(), n};
}

}  // namespace weir::http_api
