// Parts of one file in the memories of ranks: read from it, and written to it as a file that appears whole or
// not at all. Every function is collective, also for ranks without a part, and ends early if one rank fails.
#pragma once

#include "fugu/distributed/communicator.hpp"
#include "fugu/stream/output_file.hpp"

namespace fugu::distributed {

// Fills `into` from `offset` on. Throws on every rank if one cannot.
void read_part(const Communicator& communicator, const std::string& path, std::uint64_t offset,
               std::span<std::byte> into);

struct FilePart {
  std::uint64_t offset = 0;
  std::span<const std::byte> bytes;
};

// Throws OutputError on every rank if one cannot write. `options` are rank 0's.
void write_parts(const Communicator& communicator, const std::string& output,
                 const stream::OutputFileOptions& options, std::span<const FilePart> parts);

}  // namespace fugu::distributed
