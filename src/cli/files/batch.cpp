// Processes many files at a time, and reports in their order.
#include "cli/files/batch.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <thread>

#include "cli/files/apart.hpp"
#include "cli/files/output.hpp"
#include "cli/files/removal.hpp"
#include "cli/process/console.hpp"
#include "fugu/auth/kdf.hpp"

namespace fugu::cli {
namespace {

// Small files wait for the disk most of the time.
constexpr std::size_t kFilesPerThread = 8;
constexpr std::size_t kMostFilesAtOnce = 64;

// The input, the output, their directories, and the output that is read back, with some to spare.
constexpr std::size_t kDescriptorsPerFile = 8;

std::size_t most_files_at_once(unsigned threads) {
  std::size_t most = std::min(kFilesPerThread * threads, kMostFilesAtOnce);
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

// Empty if one of the sizes is not known in advance.
std::optional<std::uint64_t> total_bytes(const std::vector<Task>& tasks) {
  std::uint64_t total = 0;
  for (const Task& task : tasks) {
    const std::optional<std::uint64_t> bytes = input_bytes(task.input);
    if (!bytes) return std::nullopt;
    total += *bytes;
  }
  return total;
}

}  // namespace

// Hands out the files in order, each as soon as its weight fits beside the others.
class Batch::Admission {
 public:
  explicit Admission(std::size_t files) : files_(files) {}

  // The next file's number; `files` once all are handed out. `weight_of` is at most kBytesAtOnce.
  template <class WeightOf>
  std::size_t next(WeightOf weight_of, std::uint64_t& weight) {
    const std::lock_guard turn(turn_);
    if (next_ >= files_) return files_;
    weight = weight_of(next_);
    std::unique_lock lock(mutex_);
    left_.wait(lock, [&] { return stopped_ || room_ >= weight; });
    if (stopped_) return files_;
    room_ -= weight;
    return next_++;
  }

  void leave(std::uint64_t weight) noexcept {
    const std::lock_guard lock(mutex_);
    room_ += weight;
    left_.notify_all();
  }

  // Hands out no more files.
  void stop() noexcept {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    left_.notify_all();
  }

 private:
  const std::size_t files_;
  std::mutex turn_;
  std::size_t next_ = 0;
  std::mutex mutex_;
  std::condition_variable left_;
  std::uint64_t room_ = kBytesAtOnce;
  bool stopped_ = false;
};

// Shows messages and results in the order of the files.
class Batch::InOrder {
 public:
  explicit InOrder(std::size_t files) : files_(files) {}

  Transcript& transcript(std::size_t file) { return files_[file].transcript; }

  // Shows all that is due. Throws as Transcript::show().
  void end(std::size_t file) {
    const std::lock_guard lock(mutex_);
    files_[file].ended = true;
    for (; due_ < files_.size() && files_[due_].ended; ++due_) files_[due_].transcript.show();
  }

  // Shows the rest, when some files were not processed.
  void end_all() {
    for (; due_ < files_.size(); ++due_) files_[due_].transcript.show();
  }

 private:
  struct File {
    Transcript transcript;
    bool ended = false;
  };

  std::mutex mutex_;
  std::vector<File> files_;
  std::size_t due_ = 0;
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
  const std::uint64_t bytes = one_core_per_file_ ? 0 : total_bytes(tasks_).value_or(0);
  engine_ = make_engine(options_, options_.threads, bytes, tasks_.size());
  auth::set_derivation_memory(derivation_memory());
}

void Batch::leave_out(const Task& task, std::string_view title, const Error& error) {
  rows_.push_back({{"file", task.input}, {"ok", false}, {"error", error.text()}});
  status_ = worse(status_, say_failure(title, error));
  ++failed_;
}

int Batch::run(const Work& work, std::string_view done) {
  const auto begin = std::chrono::steady_clock::now();
  const std::optional<std::uint64_t> total = total_bytes(tasks_);
  std::uint64_t bytes = 0;
  {
    Progress progress(progress_, total);
    status_ = worse(status_, run_tasks(work, progress.counters()));
    // The sealed format reads into chunks with gaps for tags, and the gaps are counted.
    bytes = std::min(progress.counters().bytes_read.load(), total.value_or(UINT64_MAX));
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  if (given_ > 1 || (progress_ == ProgressStyle::redrawn && failed_ == 0))
    summarise(done, failed_, bytes, elapsed.count());
  return status_;
}

// A file's share of kBytesAtOnce.
std::uint64_t Batch::weight(const Task& task) const {
  const std::uint64_t least = kBytesAtOnce / at_once_;
  const std::uint64_t most =
      std::max(least, one_core_per_file_ ? kBytesAtOnce / options_.threads : kBytesAtOnce);
  return std::clamp(input_bytes(task.input).value_or(most), least, most);
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
int Batch::work_on(std::size_t index, std::uint64_t weight, const Work& work,
                   stream::PumpCounters& counters) {
  const Share one = share(weight, counters);
  nlohmann::ordered_json& row = rows_[rows_.size() - tasks_.size() + index];
  if (one.processors == nullptr) return work(tasks_[index], one, row);
  one.processors->acquire();
  try {
    const int status = work(tasks_[index], one, row);
    one.processors->release();
    return status;
  } catch (...) {
    one.processors->release();
    throw;
  }
}

int Batch::run_tasks(const Work& work, stream::PumpCounters& counters) {
  Admission admission(tasks_.size());
  InOrder told(tasks_.size());
  std::atomic<int> status = kSuccess;
  std::vector<std::exception_ptr> failures(at_once_);
  const auto take_tasks = [&](std::size_t thread) noexcept {
    try {
      std::uint64_t taken = 0;
      const auto weigh = [&](std::size_t i) { return weight(tasks_[i]); };
      for (std::size_t i; (i = admission.next(weigh, taken)) < tasks_.size(); admission.leave(taken)) {
        int one = kSuccess;
        {
          const Transcript::Recording recording(told.transcript(i), at_once_ > 1);
          one = work_on(i, taken, work, counters);
        }
        if (one != kSuccess) ++failed_;
        for (int seen = status; one > seen && !status.compare_exchange_weak(seen, one);) {
        }
        told.end(i);
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
  return status;
}

void Batch::summarise(std::string_view done, int failed, std::uint64_t bytes, double seconds) const {
  const auto read = static_cast<double>(bytes);
  const std::string files =
      given_ == 1 ? std::string(done)
                  : fmt::format("{} of {} files {}", given_ - static_cast<std::size_t>(failed), given_, done);
  say_note(fmt::format("{}; {} in {:.1f} s, {}/s", files, bytes_text(read), seconds,
                       bytes_text(seconds > 0 ? read / seconds : 0)));
}

void Batch::print_rows() const {
  write_result(json_text({{"version", kJsonVersion}, {"files", rows_}}));
}

}  // namespace fugu::cli
