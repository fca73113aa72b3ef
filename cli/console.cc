#include "cli/console.h"

#include <cstdio>
#include <string>

#include <unistd.h>

#include "cli/verbs.h"

namespace weir::cli {
namespace {

std::string_view ValueOf(const Environment& environment, std::string_view name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string_view() : found->second;
}

}  // namespace

ColorChoice ParseColorChoice(std::string_view text) {
  if (text == "always") return ColorChoice::kAlways;
  return text == "never" ? ColorChoice::kNever : ColorChoice::kAuto;
}

bool WantsColor(ColorChoice choice, bool is_terminal, const Environment& environment) {
  if (choice != ColorChoice::kAuto) return choice == ColorChoice::kAlways;
  if (!ValueOf(environment, "NO_COLOR").empty()) return false;
  const std::string_view force = ValueOf(environment, "CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  return is_terminal && ValueOf(environment, "TERM") != "dumb";
}

bool StdoutWantsColor(ColorChoice choice) {
  return WantsColor(choice, isatty(STDOUT_FILENO) == 1, ReadEnvironment());
}

void Print(std::string_view text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stdout));
  static_cast<void>(std::fflush(stdout));
}

void PrintError(std::string_view text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

int UsageError(std::string_view verb, std::string_view message) {
  const std::string name = verb.empty() ? "weir" : "weir " + std::string(verb);
  PrintError(name + ": " + std::string(message) + "\nTry: " + name + " --help\n");
  return kExitCannotStart;
}

}  // namespace weir::cli
