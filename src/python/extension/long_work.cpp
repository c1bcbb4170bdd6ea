// A thread per long call, and a caller who waits for it and for signals.
#include "python/extension/long_work.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

namespace fugu::python {
namespace {

// Ctrl-C is noticed after this time.
constexpr std::chrono::milliseconds kLook{50};

class Background {
 public:
  // Throws std::system_error if no thread is available.
  explicit Background(const Work& work) : thread_([this, &work] { run(work); }) {}
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

 private:
  void run(const Work& work) noexcept {
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
  std::thread thread_;
};

// The exception of a signal's handler, if one came.
std::optional<nb::python_error> raised_by_signal() {
  const nb::gil_scoped_acquire held;
  if (PyErr_CheckSignals() == 0) return std::nullopt;
  return nb::python_error();
}

void wait_for(Background& work) {
  while (!work.ended_within(kLook)) {
    std::optional<nb::python_error> raised = raised_by_signal();
    if (!raised) continue;
    work.stop();
    work.wait();
    throw nb::python_error(std::move(*raised));
  }
  if (work.failure()) std::rethrow_exception(work.failure());
}

}  // namespace

void run_long(const Work& work) {
  const nb::gil_scoped_release released;
  std::optional<Background> background;
  try {
    background.emplace(work);
  } catch (const std::system_error&) {
    return work({});
  }
  wait_for(*background);
}

void run_short(const Work& work) {
  const nb::gil_scoped_release released;
  work({});
}

}  // namespace fugu::python
