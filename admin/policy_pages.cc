#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "admin/pages.h"
#include "observe/civil_date.h"
#include "observe/decision_line.h"
#include "observe/engine_metrics.h"

namespace weir::admin {
namespace {

using nlohmann::ordered_json;

std::string Timestamp(WallTime t) {
  std::string out;
  observe::AppendTimestamp(t, out);
  return out;
}

std::string SourceOf(const SourcePosition& where) {
  return where.line == 0 ? where.file : where.file + ":" + std::to_string(where.line);
}

// Every line of `text` as a comment, so that none is taken for a limit.
void AppendComment(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out.append("# ").append(text.substr(0, end)).append("\n");
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

std::string Header(const PolicyReport& report) {
  std::string out = "# generation " + std::to_string(report.generation) + ", hash " +
                    report.fingerprint + ", loaded " + Timestamp(report.loaded_at) + "\n";
  if (report.last_load_ok) {
    out += "# last load: ok\n";
  } else {
    out += "# last load: refused at " + Timestamp(report.tried_at) +
           "; the rules below stay in force\n";
    AppendComment(report.error, out);
  }
  return out;
}

std::string WordOf(bool b) {
  return b ? "true" : "false";
}

std::string RuleLine(const Rule& rule, bool native) {
  const bool limited = !rule.unlimited;
  std::string line = rule.stat_key;
  // A name may hold anything a YAML text can: one rule stays one line.
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  line += ": unit=";
  line += NameOf(limited ? rule.quota.unit : Unit::kUnknown);
  line += " requests_per_unit=" + std::to_string(limited ? rule.quota.limit : 0);
  line += ", shadow_mode: " + WordOf(rule.shadow_mode);
  line += ", quota_mode: " + WordOf(rule.quota_mode);
  if (!native) return line;
  if (limited) {
    line += ", limit: ";
    observe::AppendLimit(rule.quota, line);
    line.append(", algorithm: ").append(NameOf(rule.quota.algorithm));
    line += ", burst: " + std::to_string(rule.quota.burst);
    if (rule.enforce_percent != 100)
      line += ", enforce: " + std::to_string(rule.enforce_percent) + "%";
  }
  line += "  # " + SourceOf(rule.where);
  return line;
}

ordered_json QuotaJson(const Quota& quota) {
  std::string text;
  observe::AppendLimit(quota, text);
  return {{"text", text},
          {"requests_per_unit", quota.limit},
          {"unit", NameOf(quota.unit)},
          {"window_seconds", std::chrono::duration<double>(quota.window).count()},
          {"algorithm", NameOf(quota.algorithm)},
          {"burst", quota.burst}};
}

ordered_json RuleJson(const Rule& rule) {
  ordered_json out;
  out["id"] = rule.id;
  if (!rule.name.empty()) out["name"] = rule.name;
  out["source"] = {
      {"file", rule.where.file}, {"line", rule.where.line}, {"column", rule.where.column}};
  if (rule.unlimited) {
    out["unlimited"] = true;
  } else {
    out["limit"] = QuotaJson(rule.quota);
  }
  out["shadow_mode"] = rule.shadow_mode;
  out["quota_mode"] = rule.quota_mode;
  out["enforce_percent"] = rule.enforce_percent;
  if (!rule.replaces.empty()) out["replaces"] = rule.replaces;
  if (rule.on_store_failure) out["on_store_failure"] = NameOf(rule.on_store_failure->mode);
  const Annotations& notes = rule.annotations;
  if (!notes.owner.empty()) out["owner"] = notes.owner;
  if (!notes.reason.empty()) out["reason"] = notes.reason;
  if (!notes.review_by.empty()) out["review_by"] = notes.review_by;
  if (notes.security) out["security"] = true;
  return out;
}

}  // namespace

Page RuleListPage(const AdminState& state, std::string_view /*query*/, const Now& /*now*/) {
  const std::vector<const Engine*> engines = state.engines();
  const observe::RulesReading reading = observe::ReadRules(engines);
  const bool native = reading.policy->profile() == Profile::kNative;
  std::vector<std::string> lines;
  for (const observe::RuleReading& r : reading.rules) {
    if (!r.for_overrides) lines.push_back(RuleLine(*r.rule, native));
  }
  std::sort(lines.begin(), lines.end());
  Page page{.body = Header(state.policy())};
  for (const std::string& line : lines) page.body.append(line).append("\n");
  return page;
}

Page ConfigDumpPage(const AdminState& state, std::string_view /*query*/, const Now& /*now*/) {
  const std::vector<const Engine*> engines = state.engines();
  const observe::RulesReading reading = observe::ReadRules(engines);
  const PolicyReport report = state.policy();
  ordered_json json;
  json["generation"] = report.generation;
  json["sha256"] = report.fingerprint;
  json["loaded_at"] = Timestamp(report.loaded_at);
  json["profile"] = reading.policy->profile() == Profile::kReference ? "reference" : "native";
  json["last_load"] = {{"ok", report.last_load_ok}, {"at", Timestamp(report.tried_at)}};
  if (!report.last_load_ok) json["last_load"]["error"] = report.error;
  json["domains"] = ordered_json::array();
  for (const DomainRules& domain : reading.policy->domains()) {
    ordered_json rules = ordered_json::array();
    for (const observe::RuleReading& r : reading.rules) {
      if (!r.for_overrides && r.rule->domain == domain.name) rules.push_back(RuleJson(*r.rule));
    }
    json["domains"].push_back(
        {{"domain", domain.name}, {"source", SourceOf(domain.where)}, {"rules", std::move(rules)}});
  }
  return {.content_type = "application/json",
          .body = json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n"};
}

}  // namespace weir::admin
