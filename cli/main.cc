#include <csignal>

#include "cli/command_line.h"

int main(int argc, char** argv) {
  // A reader that goes away is an error of a write, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  return weir::cli::RunCommandLine(
      std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
