// fugu: the program. Prepares the process, finds the subcommand, runs it, and turns exceptions into one line
// and an exit status.
#include "cli/commands.hpp"

int main(int count, char** words) {
  return fugu::cli::guarded_main([&] {
    return fugu::cli::run_words(
        {words + (count > 0 ? 1 : 0), words + count},
        [](const fugu::cli::Arguments& arguments) { return arguments.subcommand().run(arguments); });
  });
}
