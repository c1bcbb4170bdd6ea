// Ranks that read one file and write another, each its own part of either, in pieces of 4 MiB.
//
// usage: mpirun -n RANKS bench_mpi_io DIRECTORY BYTES     CSV on standard output
//
// what: "independent" is MPI_File_read_at and _write_at, "collective" MPI_File_read_at_all and _write_at_all,
// "in memory" stream::OutputPart, which writes files in memory alone. The input is the output of an earlier
// run.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "fugu/distributed/communicator.hpp"
#include "fugu/stream/output_part.hpp"

namespace {

using namespace fugu;
using distributed::check;
using distributed::Communicator;

constexpr int kSamples = 5;
constexpr MPI_Offset kPieceBytes = MPI_Offset{4} << 20;

struct Work {
  const Communicator& world;
  std::string path;
  MPI_Offset begin;  // of this rank's part
  MPI_Offset end;
  std::vector<char> piece = std::vector<char>(kPieceBytes, 'x');

  // Calls `step(offset)` for every piece of this rank, equally often on all ranks.
  template <class Step>
  void in_pieces(Step step) const {
    for (MPI_Offset at = begin; at < end; at += kPieceBytes) step(at);
  }
};

template <class Step>
void through_mpi(Work& work, int mode, Step step) {
  MPI_File file = MPI_FILE_NULL;
  check(MPI_File_open(work.world.get(), work.path.c_str(), mode, MPI_INFO_NULL, &file), "open");
  work.in_pieces([&](MPI_Offset at) {
    check(step(file, at, work.piece.data(), static_cast<int>(kPieceBytes)), "piece");
  });
  MPI_File_close(&file);
}

void write_in_memory(Work& work) {
  const auto sink = stream::OutputPart::open(
      work.path, {.begin = static_cast<std::uint64_t>(work.begin),
                  .end = static_cast<std::uint64_t>(work.end),
                  .all_threads = static_cast<unsigned>(std::max(work.world.size(), 4))});
  if (!sink) throw Error(Errc::usage, "the directory is not kept in memory");
  work.in_pieces([&](MPI_Offset) { sink->write(std::as_bytes(std::span(work.piece))); });
}

template <class Run>
void measure(Work& work, const char* operation, const char* what, Run run) {
  for (int sample = 0; sample < kSamples; ++sample) {
    if (work.world.is_root() && std::string_view(operation) == "write") std::ofstream(work.path).flush();
    MPI_Barrier(work.world.get());
    const auto begin = std::chrono::steady_clock::now();
    run();
    MPI_Barrier(work.world.get());
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    const auto bytes = static_cast<long long>(work.end - work.begin) * work.world.size();
    if (work.world.is_root())
      std::printf("%s,%s,%d,%lld,%d,%.4f\n", operation, what, work.world.size(), bytes, sample,
                  elapsed.count());
  }
}

void run(const Communicator& world, const std::string& directory, MPI_Offset bytes) {
  const MPI_Offset pieces = std::max<MPI_Offset>(bytes / kPieceBytes / world.size(), 1);
  const MPI_Offset begin = world.rank() * pieces * kPieceBytes;
  Work work{world, directory + "/bench_mpi_io", begin, begin + pieces * kPieceBytes};
  const auto of_piece = [](auto call) {
    return [call](MPI_File file, MPI_Offset at, char* piece, int size) {
      return call(file, at, piece, size, MPI_BYTE, MPI_STATUS_IGNORE);
    };
  };
  measure(work, "write", "in memory", [&] { write_in_memory(work); });
  measure(work, "write", "collective",
          [&] { through_mpi(work, MPI_MODE_RDWR, of_piece(MPI_File_write_at_all)); });
  measure(work, "write", "independent",
          [&] { through_mpi(work, MPI_MODE_RDWR, of_piece(MPI_File_write_at)); });
  measure(work, "read", "collective",
          [&] { through_mpi(work, MPI_MODE_RDONLY, of_piece(MPI_File_read_at_all)); });
  measure(work, "read", "independent",
          [&] { through_mpi(work, MPI_MODE_RDONLY, of_piece(MPI_File_read_at)); });
  if (world.is_root()) std::filesystem::remove(work.path);
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count != 3) throw Error(Errc::usage, "usage: bench_mpi_io DIRECTORY BYTES");
    const distributed::Runtime runtime;
    const Communicator world(MPI_COMM_WORLD);
    if (world.is_root()) std::printf("operation,what,ranks,bytes,sample,seconds\n");
    run(world, words[1], std::atoll(words[2]));
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "bench_mpi_io: %s\n", error.what());
    return 1;
  }
}
