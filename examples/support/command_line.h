// The command line of every example: its options, help, error lines and exit codes.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace examples {

/// Runs an example's main function and returns the exit code.
///
/// `options` declares the options and `body` runs once they are read. `--help` prints the help and gives 0. A command
/// line that cannot be used, or missing data, gives 2, and any other exception 1; each prints one line on standard
/// error.
int run(int argc, char** argv, std::string description, std::function<void(CLI::App&)> options,
        std::function<int()> body);

}  // namespace examples
