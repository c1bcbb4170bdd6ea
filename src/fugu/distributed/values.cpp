#include "fugu/distributed/values.hpp"

#include <algorithm>

#include "fugu/distributed/detail/shared_output.hpp"

namespace fugu::distributed {

void read_part(const Communicator& communicator, const std::string& path, std::uint64_t offset,
               std::span<std::byte> into) {
  const SharedFile file(communicator, path, SharedFile::Use::read);
  together(communicator, [&] {
    SharedSource source(file, [] { return false; });
    if (!source.read_at(into, offset)) throw Error(Errc::io, "became shorter while it was read");
  });
}

void write_parts(const Communicator& communicator, const std::string& output,
                 const stream::OutputFileOptions& options, std::span<const FilePart> parts) {
  SharedOutput shared(communicator, output, options);
  std::uint64_t end = 0;
  together(communicator, [&] {
    for (const FilePart& part : parts) {
      std::optional<SharedSink> sink = shared.sink(part.offset);
      sink->write(part.bytes);
      end = std::max(end, sink->position());
    }
  });
  shared.commit(end);
}

}  // namespace fugu::distributed
