#include "cli/command_line.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <string_view>

#include "cli/console.h"
#include "cli/help_format.h"
#include "cli/verbs.h"
#include "weir/config/diagnostic.h"

namespace weir::cli {
namespace {

constexpr std::string_view kFirstSight =
    "Weir decides whether a request may pass, and fails the way the owner of the route chose.\n"
    "\n"
    "  weir demo                                 everything in one process, with traffic\n"
    "  weir serve --policy policy.d              the decision service: gRPC, HTTP, admin pages\n"
    "  weir check policy.d                       what is wrong with the rules, all in one run\n"
    "  weir explain --policy policy.d --domain shop tenant=acme      which rule applies, and why\n"
    "  weir hit --domain shop tenant=acme -n 80  ask a running server, eighty times\n"
    "  weir health                               whether it is up, for container checks\n"
    "\n"
    "weir help VERB tells more, and weir help WEIR-P003 what a code means.\n";

constexpr std::string_view kExitCodes =
    "Exit codes\n"
    "  0  done, nothing to report\n"
    "  1  ran fine and found something: an invalid policy, a server that is not serving\n"
    "  2  could not start: usage, an unreadable file, a broken policy, a taken port\n"
    "  3  the server that was asked did not answer\n"
    "  4  stopped by its own time limit";

void Group(CLI::App& app, std::string_view group, std::initializer_list<const char*> verbs) {
  for (const char* const verb : verbs) {
    for (CLI::App* const found : app.get_subcommands(nullptr)) {
      if (found->get_name() == verb) found->group(std::string(group));
    }
  }
}

std::unique_ptr<CLI::App> MakeApp(int& exit) {
  auto app = std::make_unique<CLI::App>(
      "Weir: rate limits for Envoy and others, with a chosen way to fail.", "weir");
  app->formatter(NewHelpFormat());
  app->require_subcommand(0, 1);
  app->set_help_flag("-h,--help", "This text");
  app->add_flag_callback(
      "-V,--version", [] {}, "The same as weir version");
  app->footer(std::string(kExitCodes));
  AddServe(*app, exit);
  AddDemo(*app, exit);
  AddCheck(*app, exit);
  AddExplain(*app, exit);
  AddSimulate(*app, exit);
  AddHit(*app, exit);
  AddHealth(*app, exit);
  AddVersion(*app, exit);
  AddHelp(*app, exit);
  Group(*app, "Run", {"demo", "serve"});
  Group(*app, "Policies", {"check", "explain"});
  Group(*app, "Ask a server", {"hit", "health"});
  Group(*app, "About", {"version", "help"});
  return app;
}

std::vector<std::string> VerbNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* const verb : app.get_subcommands(nullptr)) {
    names.push_back(verb->get_name());
  }
  return names;
}

std::vector<std::string> OptionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string WithSuggestion(const std::string& message, std::string_view word,
                           const std::vector<std::string>& names) {
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string_view near = DidYouMean(word, candidates);
  return near.empty() ? message : message + "; did you mean `" + std::string(near) + "`?";
}

std::string Complaint(const CLI::App& app, const CLI::App& verb, const CLI::ParseError& error) {
  const std::vector<std::string> extras = app.remaining(true);
  const bool unexpected =
      error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !extras.empty();
  if (!unexpected) return error.what();
  const std::string& word = extras.front();
  if (word.starts_with('-')) {
    const std::string name = word.substr(0, word.find('='));
    return WithSuggestion("unknown option `" + name + "`", name, OptionNames(verb));
  }
  if (&verb != &app) return "unexpected argument `" + word + "`";
  return WithSuggestion("unknown verb `" + word + "`", word, VerbNames(app));
}

int Run(const std::vector<std::string>& words) {
  int exit = kExitDone;
  const auto app = MakeApp(exit);
  try {
    app->parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    Print(app->help());
    return kExitDone;
  } catch (const CLI::ParseError& error) {
    const auto verbs = app->get_subcommands();
    const CLI::App& verb = verbs.empty() ? *app : *verbs.front();
    return UsageError(verbs.empty() ? "" : verb.get_name(), Complaint(*app, verb, error));
  }
  if (!app->get_subcommands().empty()) return exit;
  if (app->count("--version") > 0) return Run({"version"});
  Print(kFirstSight);
  return kExitDone;
}

}  // namespace

int RunCommandLine(const std::vector<std::string>& words) {
  try {
    return Run(words);
  } catch (const std::exception& error) {
    PrintError("weir: " + std::string(error.what()) + "\n");
    return kExitCannotStart;
  }
}

std::string HelpText(const std::string& verb) {
  int exit = kExitDone;
  const auto app = MakeApp(exit);
  if (verb.empty()) return app->help();
  for (CLI::App* const found : app->get_subcommands(nullptr)) {
    if (found->get_name() == verb) return found->help("weir");
  }
  return {};
}

}  // namespace weir::cli
