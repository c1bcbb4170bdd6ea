// Transforms values and seals a file by the ranks of a communicator of its own; one rank opens the file.
// usage: mpirun ranks DIRECTORY
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fugu/distributed/files.hpp"
#include "fugu/distributed/spectral.hpp"
#include "fugu/engine/registry.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/fugu.hpp"

namespace {

namespace distributed = fugu::distributed;
using distributed::Communicator;

constexpr int kLog2Size = 10;

// The transform of 1, 0, 0, ... is 1 everywhere.
bool transform(const Communicator& world) {
  const Communicator ranks(world, 1 << distributed::log2_transform_ranks(kLog2Size, world.size()));
  if (!ranks.in()) return true;
  std::vector<std::int32_t> mine(distributed::split_of(ranks, kLog2Size).local_values());
  if (ranks.is_root()) mine[0] = 1;
  distributed::walsh<std::int32_t>(ranks, mine, kLog2Size);
  for (const std::int32_t value : mine)
    if (value != 1) return false;
  return true;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool file(const Communicator& world, const std::string& directory) {
  const std::string plain = directory + "/plain of ranks", sealed = plain + ".fugu", same = plain + " again";
  const std::string text(3'000'000, 'x');
  if (world.is_root()) std::ofstream(plain, std::ios::binary) << text;
  const fugu::auth::SecretBytes passphrase(std::as_bytes(std::span(std::string_view("swordfish"))));
  const auto engine = fugu::engine::make("cpu");
  distributed::run_file(world, {.engine = *engine, .input = plain, .output = sealed},
                        [&]() -> distributed::FilePlan {
                          const fugu::format::Codec& codec = *fugu::format::find_codec("sealed");
                          const fugu::format::OptionValues options(codec.options);
                          const fugu::format::AskSecret ask(fugu::format::SecretKind::passphrase, passphrase);
                          return {&codec, codec.units->plan_seal(text.size(), {options, ask})};
                        });
  if (!world.is_root()) return true;
  fugu::open_file(sealed, same, fugu::Secret::passphrase("swordfish"));
  return content_of(same) == text;
}

int run(const std::string& directory) try {
  const Communicator world(MPI_COMM_WORLD);
  return transform(world) && file(world, directory) ? 0 : 1;
} catch (const fugu::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

}  // namespace

int main(int count, char** words) {
  int provided = 0;
  MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &provided);
  const int status = run(count > 1 ? words[1] : ".");
  MPI_Finalize();
  return status;
}
