// fugu-mpi: the program that all ranks run. Rank 0 reports failures that all share.
#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/mpi/ranks.hpp"
#include "cli/process/console.hpp"

namespace fugu::cli {
namespace {

int run_together(const std::vector<std::string>& words) {
  const distributed::Communicator world(MPI_COMM_WORLD);
  Transcript unheard;
  const Transcript::Recording muted(unheard, !world.is_root());
  std::optional<Arguments> arguments;
  int status = 0;
  distributed::together(world, [&] {
    status = run_words(words, [&](const Arguments& given) {
      arguments = given;
      return 0;
    });
  });
  if (!arguments) return status;
  return arguments->subcommand().name == "spectral" ? spectral_by_ranks(world, *arguments)
                                                    : file_by_ranks(world, *arguments);
}

int run(const std::vector<std::string>& words) {
  const std::string first = words.empty() ? "" : words.front();
  const auto run_here = [](const Arguments& arguments) { return arguments.subcommand().run(arguments); };
  if (first == "help" || first == "--help" || first == "-h" || first == "--version")
    return run_words(words, run_here);
  const distributed::Runtime runtime;
  try {
    return run_together(words);
  } catch (...) {
    return end_run("", report_current_failure);
  }
}

}  // namespace
}  // namespace fugu::cli

int main(int count, char** words) {
  fugu::cli::set_program_name("fugu-mpi");
  return fugu::cli::guarded_main([&] {
    return fugu::cli::run({words + (count > 0 ? 1 : 0), words + count});
  });
}
