// A pool of threads for loops whose turns are independent.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

namespace fugu::threads {

class ThreadPool {
 public:
  // `threads` counts the calling thread. The others are started by the first loop that has turns for them: a
  // pool that is never used starts no threads.
  // `awake`: how long threads without work, and callers who wait for the last of it, look for it before they
  // sleep: waking them takes as long as a loop of some 10 us. If it is not 0, threads end after a second
  // without work, until the next loop.
  explicit ThreadPool(unsigned threads, std::chrono::microseconds awake = {})
      : threads_(std::max(threads, 1u)), awake_(awake) {}
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned threads() const noexcept { return threads_; }

  // Calls turn(0) .. turn(count - 1), each once, on the calling thread and all idle ones, and returns when
  // all have ended. Any number of concurrent callers, of which one takes turns while the others wait, so that
  // never more than `threads` work. Turns begin in order. When one throws, turns that have begun end, others
  // may be left out, and the exception of the lowest turn is rethrown: the same whatever the threads do. If
  // no thread can be started, the existing ones do the work.
  void for_each(std::size_t count, const std::function<void(std::size_t turn)>& turn);

  // The same with work(first, last) for consecutive ranges of `grain` turns, of which the last may be
  // shorter.
  void for_ranges(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t first, std::size_t last)>& work);

  // Whether the calling thread is in a turn of a loop that the threads of some pool share. The others are
  // busy then: what it calls should stay on it.
  static bool in_shared_turn() noexcept;

 private:
  struct Loop {
    const std::function<void(std::size_t)>& turn;
    std::size_t count;
    std::atomic<std::size_t> next = 0;
    std::atomic<unsigned> helpers = 0;  // pool threads inside; changes under mutex_
    std::size_t failed = count;         // the lowest turn that threw; under mutex_
    std::exception_ptr failure{};       // of that turn; under mutex_

    bool has_turns() const { return next.load(std::memory_order_relaxed) < count; }
  };

  struct Worker {
    std::thread thread;  // none, if it could not be started
    bool ended = false;  // under mutex_

    ~Worker() {
      if (thread.joinable()) thread.join();
    }
  };

  void take_turns(Loop& loop) noexcept;
  void take_shared_turns(Loop& loop) noexcept;
  void start_workers();  // mutex_ held
  void share(Loop& loop);
  void take_turns_as_caller(Loop& loop, std::unique_lock<std::mutex>& lock);  // unlocks it meanwhile
  void retire(Loop& loop);                                                    // mutex_ held
  void work(Worker& self);

  std::unique_lock<std::mutex> lock_soon();
  template <class Done>
  void look_for(std::unique_lock<std::mutex>& lock, Done done);

  const unsigned threads_;
  const std::chrono::microseconds awake_;
  std::mutex mutex_;
  std::condition_variable work_arrived_;
  std::condition_variable left_;  // when a loop's last helper, or the caller that took turns, has left
  bool caller_takes_turns_ = false;
  std::deque<Loop*> open_;                // loops with turns left
  std::atomic<std::uint64_t> begun_ = 0;  // loops, and the end
  bool stopping_ = false;
  std::list<Worker> workers_;
};

}  // namespace fugu::threads
