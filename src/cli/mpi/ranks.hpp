// The subcommands of fugu-mpi, which all ranks run at the same time.
#pragma once

#include <functional>

#include "cli/options.hpp"
#include "fugu/distributed/communicator.hpp"

namespace fugu::cli {

// Ends the run for the current exception and returns the exit status. Call inside a catch block. If the ranks
// agreed on the failure, rank 0 reports it by report(), which returns the status. If not, the other ranks
// would wait forever, so this rank reports it and ends them all. `title` as in report_failure().
int end_run(std::string_view title, const std::function<int()>& report) noexcept;

// How this rank works: --threads, --engine and --chunk. The default is its share of the machine, and
// cuda:local is its GPU. Collective.
struct RankWork {
  unsigned threads = 1;
  std::string engine = "auto";
  int gpu = 0;  // the GPU of cuda:local
};
RankWork rank_work(const distributed::Communicator& world, const Arguments& arguments);

// encrypt, decrypt or verify. Both return the exit status, and throw also what happened on this rank alone.
int file_by_ranks(const distributed::Communicator& world, const Arguments& arguments);
int spectral_by_ranks(const distributed::Communicator& world, const Arguments& arguments);

}  // namespace fugu::cli
