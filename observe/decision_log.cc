#include "observe/decision_log.h"

#include <cmath>

#include "observe/trace_id.h"
#include "weir/base/hash.h"
#include "weir/limiter/settle.h"

namespace weir::observe {
namespace {

constexpr Duration kSecond = std::chrono::seconds(1);

// As Settle() tells them: counted, but without a say.
bool IsMute(const Check& check, const Hit& hit) {
  if (check.charging == Charging::kEach) return hit.rule->shadow_mode;
  return hit.not_enforced != NotEnforced::kNo && hit.not_enforced != NotEnforced::kSoft;
}

// Several descriptors of a request may meet one rule: the binding hit is the one that stands where
// the decision says.
const Hit* HitOf(const Check& check, const Decision& decision) {
  const Hit* same_rule = nullptr;
  for (std::size_t i = 0; i < check.hits.size(); ++i) {
    const Hit& hit = check.hits[i];
    if (hit.rule != decision.rule || hit.quota != decision.quota) continue;
    const Outcome& outcome = check.outcomes[i];
    if (same_rule == nullptr) same_rule = &hit;
    if (outcome.allowed == decision.allowed() && outcome.remaining == decision.remaining &&
        outcome.reset == decision.reset_after) {
      return &hit;
    }
  }
  return same_rule;
}

const Outcome* OutcomeOf(const Check& check, const Hit* hit) {
  return hit == nullptr ? nullptr
                        : &check.outcomes[static_cast<std::size_t>(hit - check.hits.data())];
}

}  // namespace

DecisionLog::Sample::Sample(double part, std::uint64_t stream_seed)
    : rate(part), all(part >= 1), seed(stream_seed) {
  constexpr int kBits = 64;
  if (part > 0 && part < 1) threshold = static_cast<std::uint64_t>(std::ldexp(part, kBits));
}

bool DecisionLog::Sample::Choose(std::string_view trace_id) {
  if (all) return true;
  if (threshold == 0) return false;
  const std::uint64_t chance = trace_id.empty() ? MixHash(seed, ++seen) : Hash64(trace_id, 0);
  return chance < threshold;
}

DecisionLog::DecisionLog(const DecisionLogOptions& options, LineSink& sink)
    : options_(options),
      sink_(sink),
      allow_(options.allow, MixHash(options.seed, 1)),
      deny_(options.deny, MixHash(options.seed, 2)) {}

void DecisionLog::Note(const Request& request, const Check& check, const Decision& decision,
                       const Now& now) {
  if (decision.would_deny) NoteWouldBeDenials(request, check, decision, now);
  const Hit* hit = decision.allowed() ? nullptr : HitOf(check, decision);
  const bool first = IsFirstDenial(decision, hit, now);
  Sample& sample = decision.allowed() ? allow_ : deny_;
  // A first denial is none of the sampled ones, so that each line still stands for 1 / `sample`.
  if (!first && !sample.Choose(TraceIdOf(request.traceparent))) return;
  if (decision.allowed()) hit = HitOf(check, decision);
  Write({.request = &request,
         .check = &check,
         .decision = &decision,
         .hit = hit,
         .outcome = OutcomeOf(check, hit),
         .first = first,
         .sample = first ? 1 : sample.rate},
        now);
}

bool DecisionLog::IsFirstDenial(const Decision& decision, const Hit* hit, const Now& now) {
  if (decision.allowed() || hit == nullptr || deny_.all || deny_.threshold == 0) return false;
  StartSecond(now);
  if (firsts_in_second_ >= (options_.lines_per_second + 1) / 2) return false;
  if (!firsts_.Note(hit->id, now.steady)) return false;
  ++firsts_in_second_;
  return true;
}

void DecisionLog::NoteWouldBeDenials(const Request& request, const Check& check,
                                     const Decision& decision, const Now& now) {
  for (const Hit& hit : check.hits) {
    const Outcome* const outcome = OutcomeOf(check, &hit);
    if (outcome->allowed || !IsMute(check, hit)) continue;
    Write({.request = &request,
           .check = &check,
           .decision = &decision,
           .hit = &hit,
           .outcome = outcome,
           .would_deny = true},
          now);
  }
}

void DecisionLog::StartSecond(const Now& now) {
  if (started_ && now.steady - second_ < kSecond) return;
  started_ = true;
  second_ = now.steady;
  in_second_ = 0;
  firsts_in_second_ = 0;
}

void DecisionLog::Write(const LoggedDecision& logged, const Now& now) {
  StartSecond(now);
  if (in_second_ >= options_.lines_per_second) {
    dropped_.Add(1);
    return;
  }
  ++in_second_;
  AppendDecisionLine(logged, options_.privacy, now, buffer_);
  written_.Add(1);
  if (buffer_.size() >= kMostBuffered) Flush();
}

void DecisionLog::Flush() {
  if (buffer_.empty()) return;
  sink_.Write(buffer_);
  buffer_.clear();
}

}  // namespace weir::observe
