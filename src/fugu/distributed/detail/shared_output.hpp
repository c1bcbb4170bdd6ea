// The output of all ranks under its temporary name: rank 0 creates it and names it in the end; the others
// also remove it when a signal ends them. Private to distributed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fugu/distributed/detail/shared_file.hpp"
#include "fugu/stream/output_file.hpp"

namespace fugu::distributed {

class SharedOutput {
 public:
  // Collective; an empty `output` is discarded. `options` are rank 0's.
  SharedOutput(const Communicator& communicator, const std::string& output,
               const stream::OutputFileOptions& options);

  // Writes from `offset` on; empty if the output is discarded.
  std::optional<SharedSink> sink(std::uint64_t offset) const;

  // The same for all that this rank writes: up to `end` - 1, if other ranks write after it.
  std::optional<SharedSink> long_sink(std::uint64_t offset, std::uint64_t end) const;

  // Collective: syncs the output and gives it its name. `end` is that of this rank's part.
  void commit(std::uint64_t end);

 private:
  const Communicator& communicator_;
  std::unique_ptr<stream::OutputFile> made_;
  std::unique_ptr<stream::ForeignTemporary> foreign_;
  std::string path_;
  unsigned threads_ = 1;  // of each rank
  std::optional<SharedFile> file_;
};

}  // namespace fugu::distributed
