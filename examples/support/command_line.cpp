// Runs an example and turns what goes wrong into one line and an exit code.
#include "examples/support/command_line.h"

#include <exception>
#include <filesystem>
#include <iostream>
#include <string_view>

#include "examples/support/names.h"

namespace examples {
namespace {

// Exception texts may hold several lines; scripts that read standard error expect one.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char letter : text) {
    const bool space = letter == '\n' || letter == '\r' || letter == '\t' || letter == ' ';
    if (!space) line += letter;
    if (space && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '.')) line.pop_back();
  return line;
}

int fail(const std::string& program, std::string_view message, std::string_view cure, int code) {
  // What the example printed before must not appear after the reason that it stopped.
  std::cout.flush();
  std::cerr << program << ": " << one_line(message) << cure << '\n';
  return code;
}

}  // namespace

int run(int argc, char** argv, std::string description, std::function<void(CLI::App&)> options,
        std::function<int()> body) {
  const auto program = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : std::string("example");
  const std::string cure = "; try " + program + " --help";
  try {
    CLI::App app(std::move(description), program);
    options(app);
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      // Help, too, arrives as an exception, the only one whose exit code is 0.
      if (error.get_exit_code() == 0) return app.exit(error);
      return fail(program, error.what(), cure, 2);
    }
    return body();
  } catch (const MissingData& error) {
    return fail(program, error.what(), cure, 2);
  } catch (const std::exception& error) {
    return fail(program, error.what(), "", 1);
  }
}

}  // namespace examples
