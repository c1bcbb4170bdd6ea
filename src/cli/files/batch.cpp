// Processes many files at a time, and reports in their order.
#include "cli/files/batch.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <condition_variable>

#include "cli/files/transfer.hpp"
#include "fugu/auth/kdf.hpp"

namespace fugu::cli {
namespace {

// Small files wait for the disk most of the time.
constexpr std::size_t kFilesPerThread = 8;
constexpr std::size_t kMaxFilesAtOnce = 64;

// The input, the output, their directories, and the output that is read back, with some to spare.
constexpr std::size_t kDescriptorsPerFile = 8;

std::size_t most_files_at_once(unsigned threads) {
  std::size_t most = std::min(kFilesPerThread * threads, kMaxFilesAtOnce);
  rlimit descriptors;
  if (::getrlimit(RLIMIT_NOFILE, &descriptors) == 0 && descriptors.rlim_cur != RLIM_INFINITY)
    most = std::min<std::size_t>(most, descriptors.rlim_cur / kDescriptorsPerFile);
  return std::max<std::size_t>(most, 1);
}

// The total size of files processed at a time, which bounds memory.
constexpr std::uint64_t kBytesAtOnce = std::uint64_t{256} << 20;

// A serial chain keeps one core busy and gains nothing from large chunks; small ones bound the memory of many
// files at a time.
constexpr std::size_t kSerialChunkBytes = std::size_t{1} << 20;

// What is typed must not be drawn over.
bool is_typed(const std::vector<Task>& tasks) {
  return ::isatty(STDIN_FILENO) != 0 &&
         std::ranges::any_of(tasks, [](const Task& task) { return task.input == kStandardStream; });
}

struct Release {
  void operator()(Processors* processors) const { processors->release(); }
};

}  // namespace

bool prints_rows(const Arguments& arguments, const std::vector<Task>& tasks) {
  if (!arguments.has("json")) return false;
  if (std::ranges::any_of(tasks, [](const Task& task) { return task.output == kStandardStream; }))
    refuse("--json needs -o: the JSON itself goes to standard output");
  return true;
}

// Hands out the files in order, each as soon as its weight fits beside the others.
class Batch::Admission {
 public:
  // Each weight is at most kBytesAtOnce.
  explicit Admission(const std::vector<std::uint64_t>& weights) : weights_(weights) {}

  // The next file's number; the number of files once all are handed out.
  std::size_t next() {
    std::unique_lock lock(mutex_);
    left_.wait(lock, [&] { return next_ == weights_.size() || room_ >= weights_[next_]; });
    if (next_ == weights_.size()) return next_;
    room_ -= weights_[next_];
    return next_++;
  }

  void leave(std::size_t file) noexcept {
    const std::lock_guard lock(mutex_);
    room_ += weights_[file];
    left_.notify_all();
  }

  // Hands out no more files.
  void stop() noexcept {
    const std::lock_guard lock(mutex_);
    next_ = weights_.size();
    left_.notify_all();
  }

 private:
  const std::vector<std::uint64_t>& weights_;
  std::mutex mutex_;
  std::condition_variable left_;
  std::size_t next_ = 0;
  std::uint64_t room_ = kBytesAtOnce;
};

// Shows messages and results in the order of the files.
class Batch::InOrder {
 public:
  explicit InOrder(std::size_t files) : files_(files) {}

  Transcript& transcript(std::size_t file) { return files_[file].transcript; }

  // Shows all that is due. Throws as Transcript::show().
  void end(std::size_t file, int status) {
    const std::lock_guard lock(mutex_);
    files_[file].status = status;
    worst_ = worse(worst_, status);
    failed_ += status == kSuccess ? 0 : 1;
    for (; due_ < files_.size() && files_[due_].status; ++due_) show(files_[due_]);
  }

  // Shows the rest, when some files were not processed.
  void end_all() {
    for (; due_ < files_.size(); ++due_) files_[due_].transcript.show();
  }

  // The files under another secret than the first of them.
  int wrong_ones_left_out() const { return is_verbose() ? 0 : std::max(0, wrong_ - 1); }

  // For when all threads have ended.
  int worst() const { return worst_; }
  int failed() const { return failed_; }

 private:
  struct File {
    Transcript transcript;
    std::optional<int> status;  // set once it has ended
  };

  // A wrong passphrase is wrong for many files, and is said of the first.
  void show(File& file) {
    const bool is_wrong = file.status == exit_status(Errc::wrong_key);
    if (is_wrong && wrong_++ > 0 && !is_verbose()) return;
    file.transcript.show();
  }

  std::mutex mutex_;
  std::vector<File> files_;
  std::size_t due_ = 0;
  int worst_ = kSuccess;
  int failed_ = 0;
  int wrong_ = 0;
};

Batch::Batch(const FilesRequest& request, std::vector<Task> tasks, bool one_core_per_file)
    : progress_(request.progress),
      options_(request.work),
      one_core_per_file_(one_core_per_file),
      given_(tasks.size()),
      processors_(static_cast<std::ptrdiff_t>(options_.threads)) {
  check_removal(request, tasks);
  for (Task& task : tasks) {
    try {
      if (task.is_remark) {
        --given_;
        status_ = worse(status_, say_failure(task.input, *task.problem));
        continue;
      }
      check_task(task, request.replace);
      if (request.removal != Removal::none) InputState(nullptr, task.input).require_only_name();
      tasks_.push_back(std::move(task));
    } catch (const OutputError& error) {
      leave_out(task, output_title(task.output), error);
    } catch (const Error& error) {
      leave_out(task, input_title(task.input), error);
    }
  }
  require_apart(request, tasks_);
  // Not null, which crashes nlohmann-json 3.11.2 if it cannot become an object.
  rows_.resize(rows_.size() + tasks_.size(), nlohmann::ordered_json::object());
  at_once_ = std::clamp<std::size_t>(tasks_.size(), 1, most_files_at_once(options_.threads));
  total_bytes_ = 0;
  for (const Task& task : tasks_) {
    const std::optional<std::uint64_t> bytes = input_bytes(task.input);
    weights_.push_back(weight(bytes));
    total_bytes_ = total_bytes_ && bytes ? std::optional(*total_bytes_ + *bytes) : std::nullopt;
  }
  engine_ = make_engine(options_, options_.threads, one_core_per_file_ ? 0 : total_bytes_.value_or(0),
                        tasks_.size());
}

void Batch::leave_out(const Task& task, std::string_view title, const Error& error) {
  rows_.push_back({{"file", task.input}, {"ok", false}, {"error", error.text()}});
  status_ = worse(status_, say_failure(title, error));
  ++failed_;
}

int Batch::run(const Work& work, std::string_view done) {
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t bytes = 0;
  {
    Progress progress(is_typed(tasks_) ? ProgressStyle::on_request : progress_, total_bytes_);
    status_ = worse(status_, run_tasks(work, progress.counters()));
    // The sealed format reads into chunks with gaps for tags, and the gaps are counted.
    bytes = std::min(progress.counters().bytes_read.load(), total_bytes_.value_or(UINT64_MAX));
  }
  finish_directories();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  if (given_ > 1 || (progress_ == ProgressStyle::redrawn && failed_ == 0))
    summarise(done, bytes, elapsed.count());
  return status_;
}

// A file's share of kBytesAtOnce.
std::uint64_t Batch::weight(std::optional<std::uint64_t> bytes) const {
  const std::uint64_t least = kBytesAtOnce / at_once_;
  const std::uint64_t most =
      std::max(least, one_core_per_file_ ? kBytesAtOnce / options_.threads : kBytesAtOnce);
  return std::clamp(bytes.value_or(most), least, most);
}

Share Batch::share(std::uint64_t weight, stream::PumpCounters& counters) {
  const bool is_alone = at_once_ == 1;
  Share share{.engine = *engine_,
              .chunk_bytes = options_.chunk_bytes,
              .counters = &counters,
              .directories = &directories_};
  share.threads = std::max(1U, static_cast<unsigned>(options_.threads * weight / kBytesAtOnce));
  if (!is_alone) share.processors = &processors_;
  if (!is_alone && one_core_per_file_ && options_.chunk_bytes == 0) share.chunk_bytes = kSerialChunkBytes;
  return share;
}

// A single file's messages are shown at once.
int Batch::work_on(std::size_t index, const Work& work, stream::PumpCounters& counters) {
  const Share one = share(weights_[index], counters);
  if (one.processors != nullptr) one.processors->acquire();
  const std::unique_ptr<Processors, Release> held(one.processors);
  return work(tasks_[index], one, rows_[rows_.size() - tasks_.size() + index]);
}

int Batch::run_tasks(const Work& work, stream::PumpCounters& counters) {
  Admission admission(weights_);
  auth::DerivationMemory memory(derivation_memory());
  InOrder told(tasks_.size());
  std::vector<std::exception_ptr> failures(at_once_);
  const auto take_tasks = [&](std::size_t thread) noexcept {
    try {
      const auth::RuledDerivations derivations({.memory = &memory});
      for (std::size_t i; (i = admission.next()) < tasks_.size(); admission.leave(i)) {
        int status = kSuccess;
        {
          const Transcript::Recording recording(told.transcript(i), at_once_ > 1);
          status = work_on(i, work, counters);
        }
        told.end(i, status);
      }
    } catch (...) {
      failures[thread] = std::current_exception();
      admission.stop();
    }
  };
  std::vector<std::jthread> threads;
  try {
    for (std::size_t i = 1; i < at_once_; ++i) threads.emplace_back(take_tasks, i);
  } catch (const std::exception&) {  // the existing threads do the work
  }
  take_tasks(0);
  threads.clear();
  for (const std::exception_ptr& failure : failures) {
    if (!failure) continue;
    told.end_all();
    std::rethrow_exception(failure);
  }
  if (const int more = told.wrong_ones_left_out(); more != 0)
    say(fmt::format("wrong passphrase or key for {} more files; -v names them", more));
  failed_ += told.failed();
  return told.worst();
}

void Batch::finish_directories() {
  const bool is_any = failed_ < static_cast<int>(given_);
  if (tasks_.empty() || !tasks_.front().root || !is_any) return;
  try {
    tasks_.front().root->finish();
  } catch (const Error& error) {  // what keeps files out of a directory was already reported for these
    if (failed_ == 0) status_ = worse(status_, say_failure(tasks_.front().root->path(), error));
  }
}

void Batch::summarise(std::string_view done, std::uint64_t bytes, double seconds) const {
  const auto read = static_cast<double>(bytes);
  const std::string files =
      given_ == 1
          ? std::string(done)
          : fmt::format("{} of {} files {}", given_ - static_cast<std::size_t>(failed_), given_, done);
  say_note(fmt::format("{}; {} in {:.1f} s, {}/s", files, bytes_text(read), seconds,
                       bytes_text(seconds > 0 ? read / seconds : 0)));
}

void Batch::print_rows() const {
  write_result(json_text({{"version", kJsonVersion}, {"files", rows_}}));
}

}  // namespace fugu::cli
