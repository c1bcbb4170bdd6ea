#include "fugu/threads/thread_pool.hpp"

#include <system_error>
#include <utility>

namespace fugu::threads {
namespace {

// The pool whose turn this thread is in, if its threads share the loop.
thread_local const ThreadPool* pool_of_turn = nullptr;

}  // namespace

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_arrived_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

bool ThreadPool::in_shared_turn() noexcept {
  return pool_of_turn != nullptr;
}

void ThreadPool::take_turns(Loop& loop) noexcept {
  std::size_t i = 0;
  try {
    while ((i = loop.next.fetch_add(1, std::memory_order_relaxed)) < loop.count) loop.turn(i);
  } catch (...) {
    loop.next = loop.count;
    const std::lock_guard lock(mutex_);
    if (i > loop.failed) return;
    loop.failed = i;
    loop.failure = std::current_exception();
  }
}

void ThreadPool::take_shared_turns(Loop& loop) noexcept {
  const ThreadPool* const outer = std::exchange(pool_of_turn, this);
  take_turns(loop);
  pool_of_turn = outer;
}

void ThreadPool::retire(Loop& loop) {
  std::erase(open_, &loop);
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_arrived_.wait(lock, [this] { return stopping_ || !open_.empty(); });
    if (stopping_) return;
    Loop& loop = *open_.front();
    ++loop.helpers;
    lock.unlock();
    take_shared_turns(loop);
    lock.lock();
    retire(loop);
    if (--loop.helpers == 0) left_.notify_all();
  }
}

void ThreadPool::for_each(std::size_t count, const std::function<void(std::size_t)>& turn) {
  Loop loop{turn, count};
  if (threads_ < 2 || count < 2) {
    take_turns(loop);
  } else {
    share(loop);
  }
  if (loop.failure) std::rethrow_exception(loop.failure);
}

void ThreadPool::for_ranges(std::size_t count, std::size_t grain,
                            const std::function<void(std::size_t, std::size_t)>& work) {
  for_each((count + grain - 1) / grain,
           [&](std::size_t i) { work(i * grain, std::min(count, (i + 1) * grain)); });
}

void ThreadPool::start_workers() {
  try {
    while (workers_.size() + 1 < threads_) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // The calling thread takes the remaining turns; the next loop requests threads again.
  }
}

void ThreadPool::share(Loop& loop) {
  std::unique_lock lock(mutex_);
  start_workers();
  open_.push_back(&loop);
  work_arrived_.notify_all();
  take_turns_as_caller(loop, lock);
  retire(loop);  // from here on no thread can join
  left_.wait(lock, [&loop] { return loop.helpers == 0; });
}

// A loop started within a turn does not wait: its thread is counted already, and the caller that it would
// wait for may be waiting for this turn.
void ThreadPool::take_turns_as_caller(Loop& loop, std::unique_lock<std::mutex>& lock) {
  const bool within_turn = pool_of_turn == this;
  if (!within_turn) left_.wait(lock, [&] { return !caller_takes_turns_ || !loop.has_turns(); });
  if (!loop.has_turns()) return;
  if (!within_turn) caller_takes_turns_ = true;
  lock.unlock();
  take_shared_turns(loop);
  lock.lock();
  if (within_turn) return;
  caller_takes_turns_ = false;
  left_.notify_all();
}

}  // namespace fugu::threads
