// The output of all ranks under its temporary name: rank 0 makes it and names it in the end, and the others
// remove it too where a signal ends them. Private to distributed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fugu/distributed/detail/shared_file.hpp"
#include "fugu/stream/output_file.hpp"

namespace fugu::distributed {

class SharedOutput {
 public:
  // Collective; an empty `output` goes nowhere. `options` are rank 0's.
  SharedOutput(const Communicator& communicator, const std::string& output,
               const stream::OutputFileOptions& options);

  // Writes from `offset` on; empty where the output goes nowhere.
  std::optional<SharedSink> sink(std::uint64_t offset) const;

  // The same for all that this rank writes: up to `end` - 1, where other ranks write behind it.
  std::optional<SharedSink> long_sink(std::uint64_t offset, std::uint64_t end) const;

  // Collective: the output is on the disk and has its name. `end`: of this rank's part.
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
