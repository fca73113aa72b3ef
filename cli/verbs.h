#pragma once

#include <CLI/CLI.hpp>

namespace weir::cli {

// One exit code table for the whole tool.
enum Exit : int {
  kExitDone = 0,
  kExitFound = 1,  // Ran fine and found something: an invalid policy, with --exit-code a denial.
  kExitCannotStart = 2,  // Usage, an unreadable file, a broken policy at start, a taken port.
  kExitUnreachable = 3,  // The server that was asked did not answer.
  kExitStopped = 4,      // Its own time limit ended it.
};

// Each adds its verb to `app`.  If the verb is chosen it runs in the parse callback and leaves its
// exit code in `exit`, which must outlive the parse.
void AddServe(CLI::App& app, int& exit);
void AddDemo(CLI::App& app, int& exit);
void AddCheck(CLI::App& app, int& exit);
void AddExplain(CLI::App& app, int& exit);
void AddSimulate(CLI::App& app, int& exit);
void AddHit(CLI::App& app, int& exit);
void AddHealth(CLI::App& app, int& exit);
void AddHelp(CLI::App& app, int& exit);
void AddVersion(CLI::App& app, int& exit);

}  // namespace weir::cli
