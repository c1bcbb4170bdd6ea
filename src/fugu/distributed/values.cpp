#include "fugu/distributed/values.hpp"

#include <algorithm>

#include "fugu/distributed/detail/shared_output.hpp"
#include "fugu/distributed/detail/watch.hpp"

namespace fugu::distributed {
namespace {

// A rank notices that another has failed between two of these.
constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

// Work that no progress shows and whose parts are known.
template <class Work>
void watched(const Communicator& communicator, Work work) {
  RangeQueue nothing(communicator, {});
  watched(communicator, {}, {}, nothing, work);
}

// Calls step(offset, piece) for each piece of `bytes`.
template <class Byte, class Step>
void in_pieces(const Watch& watch, std::span<Byte> bytes, Step step) {
  for (std::size_t at = 0; at < bytes.size(); at += kPieceBytes) {
    if (watch.is_stopped()) throw Stopped();
    step(at, bytes.subspan(at, std::min(kPieceBytes, bytes.size() - at)));
  }
}

}  // namespace

void read_part(const Communicator& communicator, const std::string& path, std::uint64_t offset,
               std::span<std::byte> into) {
  watched(communicator, [&](const Watch& watch) {
    const std::unique_ptr<stream::Source> file = stream::open_regular_file(path);
    in_pieces(watch, into, [&](std::size_t at, std::span<std::byte> piece) {
      if (!file->read_at(piece, offset + at)) throw Error(Errc::io, "became shorter while it was read");
    });
  });
}

void write_parts(const Communicator& communicator, const std::string& output,
                 const stream::OutputFileOptions& options, std::span<const FilePart> parts) {
  SharedOutput shared(communicator, output, options);
  std::uint64_t end = 0;
  watched(communicator, [&](const Watch& watch) {
    for (const FilePart& part : parts) {
      const std::unique_ptr<SharedSink> sink = shared.sink(part.offset, part.offset + part.bytes.size());
      in_pieces(watch, part.bytes, [&](std::size_t, auto piece) { sink->write(piece); });
      end = std::max(end, sink->position());
    }
  });
  shared.commit(end);
}

}  // namespace fugu::distributed
