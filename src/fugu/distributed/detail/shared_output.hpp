// The output of all ranks under its temporary name: rank 0 creates it and names it in the end; the others
// also remove it when a signal ends them. Private to distributed.
#pragma once

#include "fugu/distributed/communicator.hpp"
#include "fugu/stream/output_file.hpp"
#include "fugu/stream/posix/descriptor.hpp"
#include "fugu/stream/posix/temporaries.hpp"

namespace fugu::distributed {

using stream::as_output;

// One rank's part. Throws OutputError.
class SharedSink final : public stream::Sink {
 public:
  SharedSink(int descriptor, std::uint64_t begin, std::uint64_t end)
      : part_(descriptor, begin, end), position_(begin) {}

  void write(std::span<const std::byte> from) override { write_parts({&from, 1}); }
  void write_parts(std::span<const std::span<const std::byte>> parts) override;

  bool is_in_memory() const noexcept { return part_.is_in_memory(); }

  // The current end of its part.
  std::uint64_t position() const noexcept { return position_; }

 private:
  stream::OutputPart part_;
  std::uint64_t position_;
};

class SharedOutput {
 public:
  // Collective; an empty `output` is discarded. `options` and `reserved_bytes` are rank 0's.
  SharedOutput(const Communicator& communicator, const std::string& output,
               const stream::OutputFileOptions& options, std::uint64_t reserved_bytes = 0);

  // Writes from `begin` to `end`, or to the end of the output if that comes first; empty if the output is
  // discarded.
  std::unique_ptr<SharedSink> sink(std::uint64_t begin, std::uint64_t end) const;

  // Collective: syncs the output and gives it its name. `end` is that of this rank's part.
  void commit(std::uint64_t end);

 private:
  void open_and_lock();

  const Communicator& communicator_;
  std::unique_ptr<stream::OutputFile> made_;
  std::unique_ptr<stream::ForeignTemporary> foreign_;
  std::string path_;
  stream::Descriptor file_;
};

}  // namespace fugu::distributed
