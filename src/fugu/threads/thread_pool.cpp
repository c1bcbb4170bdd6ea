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
    ++begun_;
  }
  work_arrived_.notify_all();
  workers_.clear();
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

// The mutex is held for some instructions, in which all threads of a pool that is awake may want it: those
// that slept would be woken one after the other.
std::unique_lock<std::mutex> ThreadPool::lock_soon() {
  constexpr int kTries = 200;
  std::unique_lock lock(mutex_, std::defer_lock);
  for (int i = 0; i < kTries && !lock; ++i) static_cast<void>(lock.try_lock());
  if (!lock) lock.lock();
  return lock;
}

// Unlocks for as long as done() is false, at most `awake_`.
template <class Done>
void ThreadPool::look_for(std::unique_lock<std::mutex>& lock, Done done) {
  if (awake_ == std::chrono::microseconds{} || done()) return;
  lock.unlock();
  const auto end = std::chrono::steady_clock::now() + awake_;
  while (!done() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  lock = lock_soon();
}

void ThreadPool::work(Worker& self) {
  std::unique_lock lock = lock_soon();
  for (;;) {
    if (open_.empty() && !stopping_)
      look_for(lock, [this, known = begun_.load()] { return begun_ != known; });
    const auto arrived = [this] { return stopping_ || !open_.empty(); };
    if (awake_ == std::chrono::microseconds{}) {
      work_arrived_.wait(lock, arrived);
    } else if (!work_arrived_.wait_for(lock, std::chrono::seconds(1), arrived)) {
      self.ended = true;
      return;
    }
    if (stopping_) return;
    Loop& loop = *open_.front();
    ++loop.helpers;
    lock.unlock();
    take_shared_turns(loop);
    lock = lock_soon();
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
  std::erase_if(workers_, [](const Worker& worker) { return worker.ended || !worker.thread.joinable(); });
  try {
    while (workers_.size() + 1 < threads_) {
      workers_.emplace_back();
      workers_.back().thread = std::thread([this, &self = workers_.back()] { work(self); });
    }
  } catch (const std::system_error&) {
    // The calling thread takes the remaining turns; the next loop requests threads again.
  }
}

void ThreadPool::share(Loop& loop) {
  std::unique_lock lock = lock_soon();
  start_workers();
  open_.push_back(&loop);
  ++begun_;
  work_arrived_.notify_all();
  take_turns_as_caller(loop, lock);
  retire(loop);  // from here on no thread can join
  const auto all_left = [&loop] { return loop.helpers == 0; };
  look_for(lock, all_left);
  left_.wait(lock, all_left);
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
  lock = lock_soon();
  if (within_turn) return;
  caller_takes_turns_ = false;
  left_.notify_all();
}

}  // namespace fugu::threads
