#include "cli/commands.hpp"

#include <fmt/format.h>

#include "cli/help/help.hpp"
#include "cli/process/console.hpp"
#include "cli/process/process.hpp"
#include "cli/table/subcommands.hpp"

namespace fugu::cli {

int run_words(const std::vector<std::string>& words, const std::function<int(const Arguments&)>& run) {
  if (words.empty()) {
    say_lines(usage_text());
    return exit_status(Errc::usage);
  }
  const bool is_version = words.front() == "--version";
  const bool is_help = is_version || words.front() == "--help" || words.front() == "-h";
  const Subcommand& subcommand = find_subcommand(is_help ? "help" : words.front());
  const Arguments arguments = parse(
      subcommand, is_version ? std::vector{words.front()} : std::vector(words.begin() + 1, words.end()));
  if (arguments.has("help") || arguments.has("version")) {
    const auto format = arguments.has("format") ? arguments.value("format") : std::nullopt;
    write_result(arguments.has("version") ? version_text() + "\n"
                 : format                 ? help_text(subcommand, *format)
                                          : help_text(subcommand));
    return kSuccess;
  }
  set_loudness(loudness_of(arguments));
  return run(arguments);
}

int report_current_failure() {
  try {
    throw;
  } catch (const ReaderGone& gone) {
    return exit_status(gone.code());
  } catch (...) {
    const Error error = current_failure();
    say(error.text());
    return exit_status(error.code());
  }
}

int guarded_main(const std::function<int()>& work) {
  try {
    prepare_process();
    return work();
  } catch (...) {
    return report_failure("", report_current_failure);
  }
}

}  // namespace fugu::cli
