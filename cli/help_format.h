#pragma once

#include <memory>

#include <CLI/CLI.hpp>

namespace weir::cli {

// How help texts look: what a verb does, its usage, its arguments and options in groups, examples.
// What an option may be stands in its description, so that names and values stay in one column.
std::shared_ptr<CLI::FormatterBase> NewHelpFormat();

}  // namespace weir::cli
