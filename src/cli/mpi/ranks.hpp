// The subcommands of fugu-mpi, which all ranks run at the same time.
#pragma once

#include "cli/options.hpp"
#include "fugu/distributed/communicator.hpp"

namespace fugu::cli {

// Every rank returns the same exit status or throws the same.
int run_by_ranks(const distributed::Communicator& world, const Arguments& arguments);

// How this rank works: --threads, --engine and --chunk. The default is its share of the machine, and
// cuda:local is its GPU. Collective.
struct RankWork {
  unsigned threads = 1;
  std::string engine = "auto";
  int gpu = 0;  // the GPU of cuda:local
};
RankWork rank_work(const distributed::Communicator& world, const Arguments& arguments);

int encrypt_by_ranks(const distributed::Communicator& world, const Arguments& arguments);
int decrypt_by_ranks(const distributed::Communicator& world, const Arguments& arguments);
int verify_by_ranks(const distributed::Communicator& world, const Arguments& arguments);
int spectral_by_ranks(const distributed::Communicator& world, const Arguments& arguments);

}  // namespace fugu::cli
