#pragma once

#include <string_view>

#include "cli/environment.h"

namespace weir::cli {

// --color.
enum class ColorChoice : std::uint8_t { kAuto, kAlways, kNever };

// "auto", "always", "never"; kAuto for anything else.
ColorChoice ParseColorChoice(std::string_view text);

// Whether to paint.  Left to itself, only a terminal is painted: NO_COLOR and TERM=dumb forbid it,
// CLICOLOR_FORCE (other than 0) paints also what is not a terminal.
bool WantsColor(ColorChoice choice, bool is_terminal, const Environment& environment);

// The same for this process's standard output.
bool StdoutWantsColor(ColorChoice choice);

// To standard output and standard error.  A reader that went away is no error of ours.
void Print(std::string_view text);
void PrintError(std::string_view text);

// "weir: MESSAGE" and where to read more, to standard error; returns kExitCannotStart.  `verb` may
// be empty.
int UsageError(std::string_view verb, std::string_view message);

}  // namespace weir::cli
