// Several files in one command: checked first, then worked on, one after the other or, where one file keeps
// one core busy and no more, several at once.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "cli/cipher/files.hpp"
#include "cli/cipher/work_options.hpp"
#include "cli/options.hpp"
#include "cli/process/exit_status.hpp"
#include "cli/process/progress.hpp"
#include "fugu/engine/engine.hpp"
#include "fugu/stream/pump.hpp"

namespace fugu::cli {

class Batch {
 public:
  // Works on one file and says itself what goes wrong. Returns the exit status.
  using Work = std::function<int(const Task& task, engine::Engine& engine, stream::PumpCounters& counters)>;

  // Names in `tasks` that cannot be worked on are reported and left out. Throws Error for files that meet
  // (apart.hpp) and for a missing engine.
  Batch(const Arguments& arguments, std::vector<Task> tasks, const WorkOptions& options,
        bool one_core_a_file);

  // Nothing is left to do: a passphrase need not be asked for.
  bool empty() const { return tasks_.empty(); }

  std::size_t files_at_once() const { return engines_.size(); }

  // Each file's share of -T.
  unsigned threads_a_file() const { return threads_a_file_; }

  // Returns the worst exit status. `done` is the summary's word: "encrypted".
  int run(const Work& work, std::string_view done);

 private:
  void leave_out(std::string_view title, const Error& error);
  int run_tasks(const Work& work, stream::PumpCounters& counters);
  void summarise(std::string_view done, int failed, std::uint64_t bytes, double seconds) const;

  ProgressStyle progress_;
  std::size_t given_;
  std::vector<Task> tasks_;
  std::vector<std::unique_ptr<engine::Engine>> engines_;  // one a file at a time
  unsigned threads_a_file_ = 1;
  int status_ = kSuccess;
  std::atomic<int> failed_ = 0;
};

}  // namespace fugu::cli
