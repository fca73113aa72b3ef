#include "cli/policy_keeper.h"

#include <utility>

#include <fmt/format.h>

#include "weir/base/hash.h"
#include "weir/config/render.h"

namespace weir::cli {
namespace {

std::string FingerprintOf(const std::vector<SourceFile>& files) {
  std::uint64_t hash = 0;
  for (const SourceFile& file : files) {
    hash = MixHash(MixHash(hash, Hash64(file.name, 0)), Hash64(file.text, 0));
  }
  return fmt::format("{:016x}", hash);
}

std::string FirstError(const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& d : diagnostics) {
    if (d.severity == Severity::kError) return OneLine(d);
  }
  return {};
}

}  // namespace

std::string DateOf(WallTime time) {
  const std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::floor<std::chrono::days>(time.time_since_epoch()))};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

LoadReport PolicyKeeper::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

void PolicyKeeper::Refuse(std::string error, std::string line,
                          std::vector<Diagnostic> diagnostics) {
  const std::lock_guard lock(mutex_);
  report_.ok = false;
  ++report_.refusals;
  report_.error = std::move(error);
  report_.error_line = std::move(line);
  report_.diagnostics = std::move(diagnostics);
}

PolicyKeeper::Result PolicyKeeper::Load(const Now& now, bool only_if_changed) {
  {
    const std::lock_guard lock(mutex_);
    report_.tried_at = now.wall;
  }
  auto files = ReadPolicyFiles(location_);
  if (!files) {
    Refuse(files.error().message + "\n", files.error().message, {});
    return Result::kRefused;
  }
  std::string fingerprint = FingerprintOf(*files);
  const LoadReport before = report();
  if (only_if_changed && before.ok && before.fingerprint == fingerprint) return Result::kUnchanged;

  options_.today = DateOf(now.wall);
  LoadedPolicy loaded = LoadPolicy(*files, options_);
  if (!loaded.ok()) {
    std::string text = RenderText(loaded.diagnostics, *files);
    std::string line = FirstError(loaded.diagnostics);
    Refuse(std::move(text), std::move(line), std::move(loaded.diagnostics));
    return Result::kRefused;
  }
  PolicyOptions policy_options{.profile = options_.profile,
                               .seed = seed_,
                               .generation = before.generation + 1,
                               .fingerprint = fingerprint,
                               .loaded_at = now.wall,
                               .calendar_months = options_.calendar_months};
  const auto in_force = engines_.empty() ? nullptr : engines_.front()->policy();
  const auto policy =
      Policy::Build(std::move(loaded.domains), policy_options, in_force.get(), now.steady);
  for (Engine* engine : engines_) engine->SetPolicy(policy);

  const std::lock_guard lock(mutex_);
  report_.ok = true;
  report_.generation = policy_options.generation;
  report_.fingerprint = std::move(fingerprint);
  report_.loaded_at = now.wall;
  ++report_.loads;
  report_.error.clear();
  report_.error_line.clear();
  report_.diagnostics = std::move(loaded.diagnostics);
  report_.rules = loaded.rules;
  report_.domains = policy->domains().size();
  return Result::kLoaded;
}

}  // namespace weir::cli
