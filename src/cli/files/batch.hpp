// The files of one command: checked first, then processed many at a time.
//
// Each file computes on at most one thread of its own and on those of the shared engine; while one waits for
// the disk, another has its processor. Large files wait until they fit beside the others. Messages and
// results appear in the order of the files, each file's when it and all earlier ones are done.
#pragma once

#include "cli/files/files.hpp"
#include "cli/process/json.hpp"

namespace fugu::cli {

// Whether rows are printed (--json). They go to standard output, and so must nothing else: throws
// Error{usage}.
bool prints_rows(const Arguments& arguments, const std::vector<Task>& tasks);

class Batch {
 public:
  // Processes a file, reports its own errors, and returns the exit status. `row` is for its JSON.
  using Work = std::function<int(const Task& task, const Share& share, nlohmann::ordered_json& row)>;

  // Names in `tasks` that cannot be processed are reported and left out. Throws Error for files that coincide
  // (require_apart()), for --rm where nothing is to be removed, and for a missing engine.
  // `one_core_per_file`: more cores do not speed up a single file.
  Batch(const FilesRequest& request, std::vector<Task> tasks, bool one_core_per_file);

  // Nothing is left to do, so no passphrase is needed.
  bool empty() const { return tasks_.empty(); }

  // Returns the worst exit status. `done` is the word for the summary: "encrypted".
  int run(const Work& work, std::string_view done);

  // Prints a row for every input, also for those left out.
  void print_rows() const;

 private:
  class Admission;
  class InOrder;

  void leave_out(const Task& task, std::string_view title, const Error& error);
  std::uint64_t weight(std::optional<std::uint64_t> bytes) const;
  Share share(std::uint64_t weight, stream::PumpCounters& counters);
  int work_on(std::size_t index, const Work& work, stream::PumpCounters& counters);
  int run_tasks(const Work& work, stream::PumpCounters& counters);
  void finish_directories();
  void summarise(std::string_view done, std::uint64_t bytes, double seconds) const;

  ProgressStyle progress_;
  WorkOptions options_;
  bool one_core_per_file_;
  std::size_t given_;
  std::vector<Task> tasks_;
  std::vector<nlohmann::ordered_json> rows_;  // rows of the inputs left out, then of the others
  std::vector<std::uint64_t> weights_;        // of the tasks
  std::optional<std::uint64_t> total_bytes_;  // of their inputs; empty if not known in advance
  std::size_t at_once_ = 1;
  std::unique_ptr<engine::Engine> engine_;
  stream::OutputDirectories directories_;
  Processors processors_;
  int status_ = kSuccess;
  int failed_ = 0;
};

}  // namespace fugu::cli
