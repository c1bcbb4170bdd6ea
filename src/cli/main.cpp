// fugu: the program. Puts the process in order, finds the subcommand, runs it, and turns what it throws into
// one line and an exit status.
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_status.hpp"
#include "cli/process/process.hpp"
#include "cli/subcommands.hpp"

namespace fugu::cli {
namespace {

int run(const std::vector<std::string>& words) {
  if (words.empty()) throw Error(Errc::usage, "a subcommand is missing; see fugu --help");
  const std::string name = words.front() == "--help" || words.front() == "-h" ? "help" : words.front();
  if (name == "--version") {
    write_result(version_text() + "\n");
    return kSuccess;
  }
  const Subcommand& subcommand = find_subcommand(name);
  const Arguments arguments = parse(subcommand, {words.begin() + 1, words.end()});
  if (arguments.has("help")) {
    write_result(help_text(subcommand));
    return kSuccess;
  }
  if (arguments.has("version")) {
    write_result(version_text() + "\n");
    return kSuccess;
  }
  set_loudness(loudness_of(arguments));
  return subcommand.run(arguments);
}

int guarded_main(int count, char** words) {
  try {
    prepare_process();
    return run({words + (count > 0 ? 1 : 0), words + count});
  } catch (const ReaderGone& gone) {
    return exit_status(gone.code());
  } catch (...) {
    return report_failure("", [] {
      const Error error = current_failure();
      say(error.text());
      return exit_status(error.code());
    });
  }
}

}  // namespace
}  // namespace fugu::cli

int main(int count, char** words) {
  return fugu::cli::guarded_main(count, words);
}
