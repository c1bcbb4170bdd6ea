// All ranks of a communicator process one file, in ranges of whole units (format/units.hpp).
//
// The ranges become shorter, and a rank takes the next when it is ready. Each rank reads and writes through
// its own descriptor (OutputPart), syncs what it wrote and closes it. The output equals
// that of one process with the same random values, which rank 0 draws. It has a temporary name in its own
// directory until every rank's data is on the disk and everything was authentic; rank 0 then gives it its
// name. If one rank fails there is no output, and every rank throws the same. If one is killed, the others
// remove the file when their launcher ends them; MPICH's kills them too, and the file stays under its
// temporary name. The ranks run the same program on machines of one kind.
#pragma once

#include <functional>

#include "fugu/distributed/communicator.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/stream/output_file.hpp"

namespace fugu::distributed {

using format::FilePlan;

struct FileJob {
  engine::Engine& engine;                         // this rank's
  std::string input;                              // a regular file that every rank can open under this name
  std::string output;                             // empty: nowhere
  stream::OutputFileOptions output_options = {};  // at rank 0 only
  std::uint64_t reserved_bytes = 0;               // of the output, before the work; rank 0's
  std::size_t chunk_bytes = 0;                    // as in format::Job
  // The processors that the ranks of this machine share; 0: not known. Where all of them are busy, ranks of
  // one thread start no more.
  unsigned processors = 0;
  // The least input of a range. Starting a range takes some milliseconds; in the end, ranks wait for no more
  // than one range.
  std::uint64_t least_range_bytes = std::uint64_t{32} << 20;
  // Called from time to time with the totals read and written by all ranks, on the ranks that provide it.
  std::function<void(std::uint64_t bytes_read, std::uint64_t bytes_written)> tell = {};
};

// Collective. `plan` is called on rank 0 alone. Throws on every rank what planning, reading, working and
// writing throw on one; OutputError for failures of the output. MPI gets only the encrypted key and IV
// (distributed/secret.hpp), and the key is wiped on every rank.
void run_file(const Communicator& communicator, const FileJob& job, const std::function<FilePlan()>& plan);

}  // namespace fugu::distributed
