#include "cli/cipher/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

#include "cli/cipher/apart.hpp"
#include "cli/cipher/output.hpp"
#include "cli/cipher/removal.hpp"
#include "cli/process/console.hpp"

namespace fugu::cli {
namespace {

// Nothing where one of the sizes is not known in advance.
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

Batch::Batch(const Arguments& arguments, std::vector<Task> tasks, const WorkOptions& options,
             bool one_core_a_file)
    : progress_(progress_style(arguments)), given_(tasks.size()) {
  for (Task& task : tasks) {
    try {
      check_task(task, arguments.has("force"));
      if (arguments.has("rm")) InputState(task.input).require_only_name();
      tasks_.push_back(std::move(task));
    } catch (const OutputError& error) {
      leave_out(output_title(task.output), error);
    } catch (const Error& error) {
      leave_out(input_title(task.input), error);
    }
  }
  require_apart(arguments, tasks_);
  const std::size_t at_once =
      one_core_a_file ? std::clamp<std::size_t>(tasks_.size(), 1, options.threads) : std::size_t{1};
  threads_a_file_ = at_once > 1 ? 1 : options.threads;
  for (std::size_t i = 0; i < at_once; ++i) engines_.push_back(make_engine(options, threads_a_file_));
}

void Batch::leave_out(std::string_view title, const Error& error) {
  say(fmt::format("{}: {}", title, error.text()));
  status_ = worse(status_, exit_status(error.code()));
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

int Batch::run_tasks(const Work& work, stream::PumpCounters& counters) {
  std::atomic<std::size_t> next = 0;
  std::atomic<int> status = kSuccess;
  std::vector<std::exception_ptr> failures(engines_.size());
  const auto take_tasks = [&](std::size_t thread) noexcept {
    try {
      for (std::size_t i = next++; i < tasks_.size(); i = next++) {
        const int one = work(tasks_[i], *engines_[thread], counters);
        if (one != kSuccess) ++failed_;
        for (int seen = status; one > seen && !status.compare_exchange_weak(seen, one);) {
        }
      }
    } catch (...) {
      next = tasks_.size();
      failures[thread] = std::current_exception();
    }
  };
  std::vector<std::jthread> threads;
  try {
    for (std::size_t i = 1; i < engines_.size(); ++i) threads.emplace_back(take_tasks, i);
  } catch (const std::exception&) {  // the threads that there are do the work
  }
  take_tasks(0);
  threads.clear();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
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

}  // namespace fugu::cli
