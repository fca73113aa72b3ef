#include "cli/check_report.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>

#include "cli/policy_files.h"
#include "cli/verbs.h"
#include "weir/config/policy_loader.h"
#include "weir/config/render.h"

namespace weir::cli {
namespace {

std::string Counted(std::size_t n, const char* noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

void CheckUnit(std::vector<SourceFile> files, const LoadOptions& options, CheckReport& report) {
  LoadedPolicy loaded = LoadPolicy(files, options);
  report.policy_files += loaded.files;
  report.rules += loaded.rules;
  if (loaded.ok()) {
    std::set<std::string_view> names;
    for (const DomainRules& domain : loaded.domains) names.insert(domain.name);
    report.domains += names.size();
  }
  if (!loaded.reference_refusal.empty()) {
    report.reference_refusals.push_back(std::move(loaded.reference_refusal));
  }
  std::move(loaded.diagnostics.begin(), loaded.diagnostics.end(),
            std::back_inserter(report.diagnostics));
  std::move(files.begin(), files.end(), std::back_inserter(report.files));
}

void AppendEscaped(std::string& out, std::string_view text, bool property) {
  for (const char c : text) {
    if (c == '%') {
      out += "%25";
    } else if (c == '\r') {
      out += "%0D";
    } else if (c == '\n') {
      out += "%0A";
    } else if (property && c == ':') {
      out += "%3A";
    } else if (property && c == ',') {
      out += "%2C";
    } else {
      out += c;
    }
  }
}

std::string Annotation(const Diagnostic& d) {
  std::string out = d.severity == Severity::kError ? "::error file=" : "::warning file=";
  AppendEscaped(out, d.file, true);
  if (d.span.begin.line != 0) {
    out += ",line=" + std::to_string(d.span.begin.line) +
           ",col=" + std::to_string(d.span.begin.column);
  }
  out += ",title=" + d.code + "::";
  std::string text = d.message;
  if (!d.label.empty()) text += " (" + d.label + ")";
  if (!d.effect.empty()) text += "\neffect: " + d.effect;
  if (!d.fix.empty()) text += "\nfix: " + d.fix;
  for (const std::string& note : d.notes) text += "\n" + note;
  AppendEscaped(out, text, false);
  return out + "\n";
}

}  // namespace

LoadOptions LoadOptionsOf(const Settings& settings) {
  const FleetSettings& fleet = settings.fleet;
  const bool counted = fleet.source == FleetSettings::Source::kStatic;
  LoadOptions options;
  options.profile = settings.profile;
  options.merge_domains = settings.runtime.merge_domains;
  options.shared_store = settings.store.shared();
  options.default_on_store_failure = settings.defaults.on_store_failure;
  options.fleet_size = static_cast<std::uint32_t>(counted ? fleet.count : fleet.expected);
  options.fleet_expected_missing = options.shared_store && fleet.expected == 0 &&
                                   fleet.source == FleetSettings::Source::kHeartbeats;
  return options;
}

CheckReport CheckPaths(const std::vector<std::string>& paths, const LoadOptions& options) {
  CheckReport report;
  std::vector<SourceFile> loose;
  for (const std::string& path : paths) {
    auto files = ReadPolicyFiles({.path = path});
    if (!files) {
      report.unreadable.push_back(files.error().message);
      continue;
    }
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
      CheckUnit(*std::move(files), options, report);
    } else {
      std::move(files->begin(), files->end(), std::back_inserter(loose));
    }
  }
  if (!loose.empty()) CheckUnit(std::move(loose), options, report);
  SortDiagnostics(report.diagnostics);
  return report;
}

int ExitOf(const CheckReport& report, bool strict) {
  if (!report.unreadable.empty()) return kExitCannotStart;
  const bool found = HasErrors(report.diagnostics) || (strict && !report.diagnostics.empty());
  return found ? kExitFound : kExitDone;
}

std::string CheckText(const CheckReport& report, bool color) {
  std::string out = RenderText(report.diagnostics, report.files, {.color = color});
  if (!out.empty()) out += "\n";
  for (const std::string& refusal : report.reference_refusals) {
    out += "envoyproxy/ratelimit would refuse this: " + refusal + "\n";
  }
  if (!report.diagnostics.empty()) {
    out += RenderSummary(report.diagnostics, report.policy_files, report.rules);
  }
  if (!HasErrors(report.diagnostics) && report.policy_files != 0) {
    out += Counted(report.policy_files, "file") +
           (report.policy_files == 1 ? " loads: " : " load: ") + Counted(report.rules, "rule") +
           " in " + Counted(report.domains, "domain") + "\n";
  }
  return out;
}

std::string CheckJson(const CheckReport& report) {
  return RenderJson(report.diagnostics, report.policy_files, report.rules);
}

std::string CheckGithub(const CheckReport& report) {
  std::string out;
  for (const Diagnostic& diagnostic : report.diagnostics) out += Annotation(diagnostic);
  return out;
}

}  // namespace weir::cli
