// A thread per long call, and a caller who waits for it and for signals, and reports its progress.
#include "python/extension/long_work.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "fugu/spectral/lab/property.hpp"

namespace fugu::python {
namespace {

// Ctrl-C is noticed after this time.
constexpr std::chrono::milliseconds kLook{50};

using Clock = std::chrono::steady_clock;
using spectral::lab::kLongSeconds;

// A part of the work, as the callback sees it.
struct Steps {
  Steps(std::string name, std::uint64_t all, double estimate)
      : what(std::move(name)), total(all), seconds(estimate) {}

  std::string what;
  std::uint64_t total;
  double seconds;  // 0: not known
  Clock::time_point begin = Clock::now();
  std::atomic<std::uint64_t> done = 0;

  double elapsed() const { return std::chrono::duration<double>(Clock::now() - begin).count(); }
  bool is_shown() const { return seconds > kLongSeconds || (seconds == 0 && elapsed() > kLongSeconds); }
};

class Background;
thread_local Background* background_of_thread = nullptr;

class Background {
 public:
  // Throws std::system_error if no thread is available.
  Background(const Work& work, bool counts) : counts_(counts), thread_([this, &work] { run(work); }) {}
  ~Background() { thread_.join(); }

  bool ended_within(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return end_.wait_for(lock, time, [this] { return ended_; });
  }
  void wait() {
    std::unique_lock lock(mutex_);
    end_.wait(lock, [this] { return ended_; });
  }
  void stop() { stop_.request_stop(); }
  std::exception_ptr failure() const { return failure_; }  // once it has ended

  bool counts() const { return counts_; }
  void begin(std::shared_ptr<Steps> steps) {
    const std::lock_guard lock(mutex_);
    steps_ = std::move(steps);
  }
  std::shared_ptr<const Steps> steps() {
    const std::lock_guard lock(mutex_);
    return steps_;
  }

 private:
  void run(const Work& work) noexcept {
    background_of_thread = this;
    std::exception_ptr failure;
    try {
      work(stop_.get_token());
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    failure_ = failure;
    ended_ = true;
    end_.notify_one();
  }

  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable end_;
  bool ended_ = false;
  std::exception_ptr failure_;
  std::shared_ptr<Steps> steps_;
  bool counts_;
  std::thread thread_;
};

// The callback that fugu.progress() has set, or None.
nb::object progress_callback() {
  return nb::module_::import_("fugu._progress").attr("callback").attr("get")();
}

void report(const Steps& steps, const nb::object& callback) {
  const std::uint64_t done = steps.done;
  double seconds = steps.seconds;
  if (seconds == 0 && done != 0)
    seconds = steps.elapsed() * static_cast<double>(steps.total) / static_cast<double>(done);
  callback(nb::str(steps.what.c_str()), done,
           steps.total == 0 ? nb::none() : nb::object(nb::int_(steps.total)),
           seconds == 0 ? nb::none() : nb::object(nb::float_(seconds)));
}

// The exception of a signal's handler or of the callback, if one came.
std::optional<nb::python_error> raised(Background& work, const nb::object& callback) {
  const nb::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) return nb::python_error();
  const std::shared_ptr<const Steps> steps = work.steps();
  if (!steps || !steps->is_shown()) return std::nullopt;
  try {
    report(*steps, callback);
  } catch (nb::python_error& error) {
    return std::move(error);
  }
  return std::nullopt;
}

void wait_for(Background& work, const nb::object& callback) {
  for (bool ended = false; !ended;) {
    ended = work.ended_within(kLook);
    std::optional<nb::python_error> error = raised(work, callback);
    if (!error) continue;
    work.stop();
    work.wait();
    throw nb::python_error(std::move(*error));
  }
  if (work.failure()) std::rethrow_exception(work.failure());
}

}  // namespace

void run_long(const Work& work) {
  const nb::object callback = progress_callback();
  const nb::gil_scoped_release released;
  std::optional<Background> background;
  try {
    background.emplace(work, !callback.is_none());
  } catch (const std::system_error&) {
    return work({});
  }
  wait_for(*background, callback);
}

std::function<void(std::uint64_t)> begin_steps(std::string what, std::uint64_t total, double seconds) {
  if (background_of_thread == nullptr || !background_of_thread->counts()) return {};
  const auto steps = std::make_shared<Steps>(std::move(what), total, seconds);
  background_of_thread->begin(steps);
  return [steps](std::uint64_t count) { steps->done += count; };
}

void run_short(const Work& work) {
  const nb::gil_scoped_release released;
  work({});
}

}  // namespace fugu::python
