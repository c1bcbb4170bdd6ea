// A thread per long call, and a caller who waits for it and for signals, and reports its progress.
#include "python/extension/long_work.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <system_error>

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

// The steps that a thread's work has done, which the callback is told.
struct Counted {
  std::mutex mutex{};
  std::shared_ptr<Steps> steps{};
};
thread_local Counted* counted_of_thread = nullptr;  // null: nobody asks

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
std::optional<nb::python_error> raised(Counted& counted, const nb::object& callback) {
  const nb::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) return nb::python_error();
  std::unique_lock lock(counted.mutex);
  const std::shared_ptr<const Steps> steps = counted.steps;
  lock.unlock();
  if (!steps || !steps->is_shown()) return std::nullopt;
  try {
    report(*steps, callback);
  } catch (nb::python_error& error) {
    return std::move(error);
  }
  return std::nullopt;
}

}  // namespace

void run_long(const Work& work) {
  const nb::object callback = progress_callback();
  const nb::gil_scoped_release released;
  Counted counted;
  std::stop_source stop;
  std::future<void> ended;
  try {
    ended = std::async(std::launch::async, [&] {
      counted_of_thread = callback.is_none() ? nullptr : &counted;
      work(stop.get_token());
    });
  } catch (const std::system_error&) {  // no thread available
    return work({});
  }
  for (bool over = false; !over;) {
    over = ended.wait_for(kLook) == std::future_status::ready;
    if (std::optional<nb::python_error> error = raised(counted, callback)) {
      stop.request_stop();
      ended.wait();
      throw nb::python_error(std::move(*error));
    }
  }
  ended.get();
}

std::function<void(std::uint64_t)> begin_steps(std::string what, std::uint64_t total, double seconds) {
  if (counted_of_thread == nullptr) return {};
  const auto steps = std::make_shared<Steps>(std::move(what), total, seconds);
  const std::lock_guard lock(counted_of_thread->mutex);
  counted_of_thread->steps = steps;
  return [steps](std::uint64_t count) { steps->done += count; };
}

void run_short(const Work& work) {
  const nb::gil_scoped_release released;
  work({});
}

}  // namespace fugu::python
