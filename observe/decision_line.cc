#include "observe/decision_line.h"

#include <algorithm>
#include <span>

#include "observe/civil_date.h"
#include "observe/engine_metrics.h"
#include "observe/json_text.h"
#include "observe/trace_id.h"

namespace weir::observe {
namespace {

void AppendName(std::string_view name, std::string& out) {
  out += ",\"";
  out += name;
  out += "\":";
}

void AppendField(std::string_view name, std::string_view text, std::string& out) {
  AppendName(name, out);
  AppendJsonString(text, out);
}

void AppendPrivate(std::string_view text, const KeyPrivacy& privacy, std::string& out) {
  if (!privacy.hashed) return AppendJsonString(ClipText(text, kLongestLoggedText), out);
  constexpr std::string_view kHex = "0123456789abcdef";
  const std::uint64_t hash = SipHash(privacy.key, text);
  out += "\"h:";
  for (int shift = 60; shift >= 0; shift -= 4) out += kHex[(hash >> shift) & 0xfU];
  out += '"';
}

// As an object; a key that comes again is told apart by its number, "#2".
void AppendDescriptor(std::span<const Entry> entries, const KeyPrivacy& privacy, std::string& out) {
  AppendName("descriptor", out);
  out += '{';
  const std::size_t shown = std::min(entries.size(), kMostLoggedEntries);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out += ',';
    const auto before = entries.first(i);
    const auto same = std::count_if(before.begin(), before.end(),
                                    [&](const Entry& e) { return e.key == entries[i].key; });
    AppendJsonString(ClipText(entries[i].key, kLongestLoggedText), out);
    if (same > 0) {
      out.back() = '#';
      AppendJsonNumber(same + 1, out);
      out += '"';
    }
    out += ':';
    AppendPrivate(entries[i].value, privacy, out);
  }
  out += '}';
  if (entries.size() > shown) {
    AppendName("entries_left_out", out);
    AppendJsonNumber(entries.size() - shown, out);
  }
}

void AppendRule(const Rule& rule, std::string& out) {
  AppendField("rule", rule.label(), out);
  if (rule.where.line == 0) return;
  AppendField("src", rule.where.file, out);
  out.back() = ':';
  AppendJsonNumber(rule.where.line, out);
  out += '"';
}

void AppendRetry(Duration retry, std::string& out) {
  AppendName("retry_after_s", out);
  if (retry == kNeverFits) {
    out += "null";
    return;
  }
  constexpr double kMillis = 1000;
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(retry).count();
  AppendJsonNumber(static_cast<double>(ms) / kMillis, out);
}

std::string_view DecisionWord(const LoggedDecision& logged) {
  if (logged.would_deny) return "shadow_deny";
  return logged.decision->allowed() ? "allow" : "deny";
}

NotEnforced WhyNot(const LoggedDecision& logged) {
  if (!logged.would_deny) return NotEnforced::kNo;
  const NotEnforced why = logged.hit->not_enforced;
  return why == NotEnforced::kNo ? NotEnforced::kShadow : why;  // The reference profile's own.
}

void AppendHit(const LoggedDecision& logged, const KeyPrivacy& privacy, std::string& out) {
  const Hit& hit = *logged.hit;
  if (hit.descriptor < logged.request->descriptors.size()) {
    AppendDescriptor(logged.request->descriptors[hit.descriptor].entries, privacy, out);
  }
  AppendRule(*hit.rule, out);
  AppendName("limit", out);
  out += '"';
  AppendLimit(*hit.quota, out);
  out += '"';
  AppendName("cost", out);
  AppendJsonNumber(hit.cost, out);
  if (hit.key.empty()) return;
  AppendName("key", out);
  AppendPrivate(hit.key, privacy, out);
}

}  // namespace

void AppendLimit(const Quota& quota, std::string& out) {
  AppendJsonNumber(quota.limit, out);
  out += '/';
  if (const std::string_view unit = ShortNameOf(quota.unit); !unit.empty()) {
    out += unit;
    return;
  }
  AppendJsonNumber(std::chrono::duration<double>(quota.window).count(), out);
  out += 's';
}

void AppendDecisionLine(const LoggedDecision& logged, const KeyPrivacy& privacy, const Now& now,
                        std::string& out) {
  const Decision& decision = *logged.decision;
  const Basis basis = logged.would_deny ? logged.outcome->basis : decision.basis;
  out += R"({"ts":")";
  AppendTimestamp(now.wall, out);
  out += R"(","level":"info","event":"decision")";
  if (!logged.request->id.empty()) {
    AppendField("id", ClipText(logged.request->id, kLongestLoggedId), out);
  }
  AppendField("domain", ClipText(logged.request->domain, kLongestLoggedText), out);
  if (logged.hit != nullptr) {
    AppendHit(logged, privacy, out);
  } else if (!logged.request->descriptors.empty()) {
    AppendDescriptor(logged.request->descriptors.front().entries, privacy, out);
  }
  AppendField("decision", DecisionWord(logged), out);
  AppendField("basis", NameOf(basis), out);
  AppendField("mode", ModeOf(basis), out);
  if (logged.would_deny) AppendField("enforced", NameOf(WhyNot(logged)), out);
  if (logged.hit != nullptr) {
    AppendName("remaining", out);
    AppendJsonNumber(logged.would_deny ? 0 : decision.remaining, out);
    AppendRetry(logged.would_deny ? logged.outcome->retry : decision.retry_after, out);
  }
  const std::string_view trace = TraceIdOf(logged.request->traceparent);
  if (!trace.empty()) AppendField("trace_id", trace, out);
  if (logged.first) out += R"(,"first":true)";
  AppendName("sample", out);
  AppendJsonNumber(logged.sample, out);
  out += "}\n";
}

}  // namespace weir::observe
