#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/check_report.h"
#include "cli/console.h"
#include "cli/policy_files.h"
#include "cli/policy_keeper.h"
#include "cli/verbs.h"
#include "weir/base/system_clock.h"

namespace weir::cli {
namespace {

constexpr std::size_t kMostSettingsBytes = std::size_t{1} << 20;

struct Flags {
  std::vector<std::string> paths;
  std::string settings;
  std::string profile;
  std::string store;
  std::string mode;
  std::string format = "text";
  std::string color = "auto";
  std::uint64_t fleet_expected = 0;  // 0: not said.
  bool strict = false;
  bool merge_domains = false;
  bool portable = false;
};

// What -c FILE says; its own findings go to `report`.  Nothing if it cannot be read.
std::optional<Settings> ReadSettings(const std::string& path, CheckReport& report) {
  auto text = ReadWholeFile(path, kMostSettingsBytes);
  if (!text) {
    report.unreadable.push_back(text.error().message);
    return std::nullopt;
  }
  SourceFile file{path, *std::move(text)};
  LoadedSettings loaded = LoadSettings(file);
  report.diagnostics = std::move(loaded.diagnostics);
  report.files.push_back(std::move(file));
  return std::move(loaded.settings);
}

LoadOptions OptionsOf(const Flags& flags, Settings settings) {
  if (!flags.store.empty()) settings.store.url = flags.store;
  if (flags.fleet_expected != 0) settings.fleet.expected = flags.fleet_expected;
  LoadOptions options = LoadOptionsOf(settings);
  if (!flags.profile.empty()) {
    options.profile = flags.profile == "reference" ? Profile::kReference : Profile::kNative;
  }
  if (!flags.mode.empty()) options.default_on_store_failure = ParseFailureMode(flags.mode);
  options.merge_domains = options.merge_domains || flags.merge_domains;
  options.portable = flags.portable;
  options.today = DateOf(SystemClock().Read().wall);
  return options;
}

// Adds what was found in the settings file.
void Join(CheckReport settings, CheckReport& report) {
  const auto append = [](auto& to, auto& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  append(report.files, settings.files);
  append(report.diagnostics, settings.diagnostics);
  append(report.unreadable, settings.unreadable);
  SortDiagnostics(report.diagnostics);
}

int Check(Flags& flags) {
  CheckReport of_settings;
  Settings settings;
  if (!flags.settings.empty()) {
    if (auto read = ReadSettings(flags.settings, of_settings)) settings = *std::move(read);
  }
  if (flags.paths.empty() && !settings.policy.empty()) flags.paths = {settings.policy};
  if (flags.paths.empty() && flags.settings.empty()) {
    return UsageError("check", "which policy?  Name a directory or files");
  }
  CheckReport report = CheckPaths(flags.paths, OptionsOf(flags, settings));
  Join(std::move(of_settings), report);
  for (const std::string& message : report.unreadable) PrintError("weir check: " + message + "\n");
  if (flags.format == "json") {
    Print(CheckJson(report));
  } else if (flags.format == "github") {
    Print(CheckGithub(report));
  } else {
    Print(CheckText(report, StdoutWantsColor(ParseColorChoice(flags.color))));
  }
  return ExitOf(report, flags.strict);
}

void AddOutput(CLI::App& verb, Flags& flags) {
  verb.add_option("-o,--output", flags.format, "text, json or github (annotations)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "json", "github"}))
      ->group("Output");
  verb.add_option("--color", flags.color, "auto, always or never")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->group("Output");
  verb.add_flag("--strict", flags.strict, "Warnings count as findings (exit code 1)")
      ->group("Output");
}

}  // namespace

void AddCheck(CLI::App& app, int& exit) {
  CLI::App* const verb =
      app.add_subcommand("check", "Read policies and say all that is wrong with them");
  const auto flags = std::make_shared<Flags>();
  verb->add_option("path", flags->paths,
                   "Directories, each a policy of its own, and files, which make one together")
      ->type_name("");
  AddOutput(*verb, *flags);
  verb->add_option("--profile", flags->profile, "native, or reference: as envoyproxy/ratelimit")
      ->type_name("NAME")
      ->check(CLI::IsMember({"native", "reference"}))
      ->group("How the policy will be loaded");
  verb->add_flag("--merge-domains", flags->merge_domains, "A domain may be in several files")
      ->group("How the policy will be loaded");
  verb->add_flag("--portable", flags->portable, "Refuse what envoyproxy/ratelimit would refuse")
      ->group("How the policy will be loaded");
  verb->add_option("-c,--config", flags->settings, "A weir.yaml: checked, too, and believed")
      ->type_name("FILE")
      ->group("Where it will run");
  verb->add_option("--store", flags->store,
                   "The store it will have; with a shared one each rule must say how it fails")
      ->type_name("URL")
      ->group("Where it will run");
  verb->add_option("--on-store-failure", flags->mode,
                   "For rules that do not say: open, closed, local_share or static")
      ->type_name("MODE")
      ->check(CLI::IsMember({"open", "closed", "local_share", "static"}))
      ->group("Where it will run");
  verb->add_option("--fleet-expected", flags->fleet_expected, "How many instances there will be")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, kMostInstances))
      ->group("Where it will run");
  verb->footer(
      "Findings go to standard output.  Exit codes: 0 nothing to complain about, 1 findings,\n"
      "2 a path that cannot be read.\n\n"
      "Examples\n"
      "  weir check policy.d\n"
      "  weir check --strict -o github policy.d\n"
      "  weir check --profile reference --portable ratelimit/config\n"
      "  weir check -c weir.yaml");
  verb->callback([&exit, flags] { exit = Check(*flags); });
}

}  // namespace weir::cli
