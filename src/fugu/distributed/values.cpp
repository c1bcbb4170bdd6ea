#include "fugu/distributed/values.hpp"

#include <algorithm>

#include "fugu/distributed/detail/shared_output.hpp"

namespace fugu::distributed {

void write_parts(const Communicator& communicator, const std::string& output,
                 const stream::OutputFileOptions& options, std::span<const FilePart> parts) {
  SharedOutput shared(communicator, output, options);
  std::uint64_t end = 0;
  together(communicator, [&] {
    for (const FilePart& part : parts) {
      const std::uint64_t part_end = part.offset + part.bytes.size();
      shared.sink(part.offset, part_end)->write(part.bytes);
      end = std::max(end, part_end);
    }
  });
  shared.commit(end);
}

}  // namespace fugu::distributed
