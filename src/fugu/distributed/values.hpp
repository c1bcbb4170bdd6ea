// Parts of one file in the memories of ranks, written as a file that appears whole or not at all.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "fugu/distributed/communicator.hpp"
#include "fugu/stream/output_file.hpp"

namespace fugu::distributed {

struct FilePart {
  std::uint64_t offset = 0;
  std::span<const std::byte> bytes;
};

// Collective, also for ranks without a part. Throws OutputError on every rank if one cannot write. `options`
// are rank 0's.
void write_parts(const Communicator& communicator, const std::string& output,
                 const stream::OutputFileOptions& options, std::span<const FilePart> parts);

}  // namespace fugu::distributed
