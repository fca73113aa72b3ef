#include "weir/answer/rate_limit_response.h"

#include <algorithm>
#include <limits>

namespace weir {
namespace {

constexpr std::uint32_t kUnlimitedRemaining = std::numeric_limits<std::uint32_t>::max();

std::uint32_t Saturated(std::uint64_t n) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(n, kUnlimitedRemaining));
}

// In protobuf's text format, as the reference service prints it: fields that are zero are left out,
// and a unit without a name in that enum, the week, is its number.
std::string TextOf(const LimitOverride& limit) {
  std::string out;
  if (limit.requests_per_unit != 0) {
    out = "requests_per_unit:" + std::to_string(limit.requests_per_unit);
  }
  if (limit.unit == Unit::kUnknown) return out;
  out += out.empty() ? "unit:" : " unit:";
  if (limit.unit == Unit::kWeek) return out + "7";
  return out += NameOf(limit.unit);
}

bool IsSoft(const Check& check, std::size_t i, bool global_quota) {
  const DescriptorMatch& match = check.matches[i];
  if (match.kind == DescriptorMatch::Kind::kUnlimited) return false;
  if (global_quota) return true;  // Unmatched ones too.
  return match.kind == DescriptorMatch::Kind::kCounted && match.rule->quota_mode;
}

NotEnforced Muteness(const Check& check, const Hit& hit) {
  if (check.charging == Charging::kEach && hit.rule->shadow_mode) return NotEnforced::kShadow;
  return hit.not_enforced == NotEnforced::kSoft ? NotEnforced::kNo : hit.not_enforced;
}

}  // namespace

void AppliedOf(const Check& check, std::vector<Applied>& out) {
  out.clear();
  for (const DescriptorMatch& match : check.matches) {
    if (match.kind != DescriptorMatch::Kind::kCounted) continue;
    const Hit& hit = check.hits[match.hit];
    if (hit.refund) continue;
    const Outcome& outcome = check.outcomes[match.hit];
    out.push_back({.rule = hit.rule,
                   .quota = hit.quota,
                   .remaining = outcome.remaining,
                   .next = outcome.next,
                   .reset = outcome.reset,
                   .retry = outcome.retry,
                   .denied = !outcome.allowed,
                   .not_enforced = Muteness(check, hit),
                   .quota_unit = {},
                   .partition_key = {}});
  }
}

const RateLimitResponse& ResponseComposer::Compose(const Request& request, const Check& check,
                                                   const Decision& decision, const Now& now) {
  response_ = {};
  WriteStatuses(check);
  response_.statuses = statuses_;
  if (check.charging == Charging::kEach) {
    ComposeReference(check);
  } else {
    ComposeNative(request, check, decision, now);
  }
  if (options_.dynamic_metadata) {
    Value::Struct asked = DynamicMetadata(request, check, statuses_);
    if (response_.metadata != nullptr) MergeMissing(asked, metadata_);
    metadata_ = std::move(asked);
    response_.metadata = &metadata_;
  }
  return response_;
}

void ResponseComposer::WriteStatuses(const Check& check) {
  StatusesOf(check, settled_);
  statuses_.clear();
  for (const DescriptorStatus& from : settled_) {
    ResponseStatus& to = statuses_.emplace_back();
    to.over = from.over;
    if (from.unlimited) to.remaining = kUnlimitedRemaining;
    if (from.quota == nullptr) continue;
    to.has_limit = true;
    to.requests_per_unit = Saturated(from.quota->limit);
    to.unit = from.quota->unit;
    to.name = from.rule->name;
    to.remaining = Saturated(from.remaining);
    to.reset = std::chrono::ceil<std::chrono::seconds>(from.reset);
  }
}

void ResponseComposer::ComposeNative(const Request& request, const Check& check,
                                     const Decision& decision, const Now& now) {
  response_.over = !decision.allowed();
  AppliedOf(check, applied_);
  const AnswerFacts facts{.verdict = decision.verdict,
                          .retry_after = decision.retry_after,
                          .applied = applied_,
                          .now = now.wall,
                          .cost = request.cost};
  WriteHeaders(options_.headers, facts, lines_);
  response_.headers = lines_.lines();
  if (decision.verdict == Verdict::kUnavailable) {
    metadata_ = UnavailableMetadata();
    response_.metadata = &metadata_;
  }
  if (!response_.over || !options_.problem_bodies) return;
  response_.raw_body = problem_.Write(facts, decision.rule);
  with_type_.assign(lines_.lines().begin(), lines_.lines().end());
  with_type_.push_back({"content-type", kProblemMediaType});
  response_.headers = with_type_;
}

Value::Struct UnavailableMetadata() {
  Value::Struct weir;
  weir.emplace_back("status", Value{std::string("unavailable")});
  Value::Struct out;
  out.emplace_back("weir", Value{std::move(weir)});
  return out;
}

void ReferenceStatusesOf(const Check& check, std::span<const DescriptorStatus> settled,
                         bool global_quota, std::vector<ReferenceStatus>& out) {
  out.clear();
  for (std::size_t i = 0; i < settled.size(); ++i) {
    const DescriptorStatus& status = settled[i];
    ReferenceStatus& to = out.emplace_back();
    if (status.quota == nullptr) continue;
    to.has_limit = true;
    to.hard_over = status.over && !IsSoft(check, i, global_quota);
    to.limit = Saturated(status.quota->limit);
    to.remaining = Saturated(status.remaining);
    to.reset_seconds = CeilSeconds(status.reset);
  }
}

void ResponseComposer::ComposeReference(const Check& check) {
  ReferenceStatusesOf(check, settled_, options_.global_quota, reference_);
  bool hard_over = false;
  bool any_soft = false;
  bool all_soft_over = true;
  for (std::size_t i = 0; i < settled_.size(); ++i) {
    hard_over = hard_over || reference_[i].hard_over;
    if (!IsSoft(check, i, options_.global_quota)) continue;
    any_soft = true;
    all_soft_over = all_soft_over && settled_[i].over;
  }
  response_.over = hard_over || (any_soft && all_soft_over);
  if (response_.over && options_.global_shadow) {
    response_.over = false;
    response_.globally_shadowed = true;
  }
  if (!options_.reference_headers) return;
  WriteReferenceHeaders(options_.reference_names, reference_, lines_);
  response_.headers = lines_.lines();
}

Value::Struct DynamicMetadata(const Request& request, const Check& check,
                              std::span<const ResponseStatus> statuses) {
  Value::List descriptors;
  Value::Struct merged;
  for (std::size_t i = 0; i < request.descriptors.size(); ++i) {
    const Descriptor& asked = request.descriptors[i];
    Value::List entries;
    for (const Entry& entry : asked.entries) {
      entries.push_back({std::string(entry.key) + "=" + std::string(entry.value)});
    }
    Value::Struct one;
    one.emplace_back("entries", Value{std::move(entries)});
    if (asked.limit) one.emplace_back("limit", Value{TextOf(*asked.limit)});
    if (asked.cost) one.emplace_back("hitsAddend", Value{static_cast<double>(*asked.cost)});
    descriptors.push_back({std::move(one)});
    const DescriptorMatch& match = check.matches[i];
    if (match.kind != DescriptorMatch::Kind::kCounted || statuses[i].over) continue;
    if (const Value::Struct* more = match.rule->metadata.as_struct()) MergeMissing(merged, *more);
  }
  Value::Struct out;
  out.emplace_back("domain", Value{std::string(request.domain)});
  out.emplace_back("descriptors", Value{std::move(descriptors)});
  if (request.cost_given) out.emplace_back("hitsAddend", Value{static_cast<double>(request.cost)});
  if (!merged.empty()) out.emplace_back("metadata", Value{std::move(merged)});
  return out;
}

}  // namespace weir
