#include "fugu/stream/pump.hpp"

#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "fugu/platform/system.hpp"

namespace fugu::stream {
namespace {

using Ring = std::span<const std::span<std::byte>>;

// The exception thrown by `run`, if any.
template <class Run>
std::exception_ptr failure_of(Run run) noexcept {
  try {
    run();
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

void check_ring(Ring ring, std::size_t reserve_bytes, bool alone) {
  if (ring.size() < (alone ? 1 : 2)) throw Error(Errc::usage, "a pump needs two chunks or more");
  for (const std::span<std::byte> chunk : ring) {
    const bool fits = chunk.size() == ring[0].size() && chunk.size() > reserve_bytes;
    if (!fits || (chunk.size() - reserve_bytes) % 8 != 0)
      throw Error(Errc::usage, "a pump's chunks are of one size, a multiple of 8 bytes");
  }
}

class Pump {
 public:
  Pump(Source& source, Sink& sink, Ring ring, const OrderedStage& ordered, const PumpOptions& options)
      : source_(source),
        sink_(sink),
        ring_(ring),
        ordered_(ordered),
        options_(options),
        bytes_(ring.size()) {}

  void run() {
    if (options_.alone) return run_alone();
    if (read_chunk(0) < capacity()) {
      process_chunk(0, true);
      sink_.finish();
      return;
    }
    if (!platform::has_threads()) return run_in_turn();
    run_threads();
    if (first_error_) std::rethrow_exception(first_error_);
  }

 private:
  // The three stages of chunk k. Each touches only its own chunk, and the counters below pass it on.
  std::size_t capacity() const { return ring_[0].size() - options_.reserve_bytes; }
  std::size_t slot(std::uint64_t chunk) const { return static_cast<std::size_t>(chunk % ring_.size()); }

  std::size_t read_chunk(std::uint64_t chunk) {
    const std::size_t got = source_.read(ring_[slot(chunk)].first(capacity()));
    if (options_.counters != nullptr) options_.counters->bytes_read += got;
    return bytes_[slot(chunk)] = got;
  }

  void run_parallel(std::uint64_t chunk, bool last) {
    if (options_.parallel) options_.parallel(ring_[slot(chunk)], bytes_[slot(chunk)], chunk, last);
  }

  void run_ordered(std::uint64_t chunk, bool last) {
    std::size_t& bytes = bytes_[slot(chunk)];
    bytes = ordered_(ring_[slot(chunk)], bytes, last);
    if (bytes > ring_[slot(chunk)].size()) throw Error(Errc::usage, "a stage gave more than its chunk holds");
  }

  void process_chunk(std::uint64_t chunk, bool last) {
    run_parallel(chunk, last);
    run_ordered(chunk, last);
    write_chunk(chunk);
  }

  void write_chunk(std::uint64_t chunk) {
    const std::size_t bytes = bytes_[slot(chunk)];
    if (bytes != 0) sink_.write(ring_[slot(chunk)].first(bytes));
    if (options_.counters != nullptr) options_.counters->bytes_written += bytes;
  }

  void run_alone() {
    const std::optional<std::uint64_t> bytes = source_.size_bytes();
    if (!bytes || *bytes == 0) throw Error(Errc::usage, "a pump without threads needs the size of its input");
    std::uint64_t done = 0;
    for (std::uint64_t chunk = 0; done < *bytes; ++chunk) {
      const std::size_t got = read_chunk(chunk);
      if (got == 0) throw Error(Errc::io, "became shorter while it was read");
      done += got;
      process_chunk(chunk, done >= *bytes);
    }
    sink_.finish();
  }

  // Chunk 0 is in the ring and full. Only after reading on is it known whether a full chunk is the last.
  void run_in_turn() {
    bool last = false;
    for (std::uint64_t chunk = 0; !last; ++chunk) {
      last = bytes_[slot(chunk)] < capacity() || read_chunk(chunk + 1) == 0;
      process_chunk(chunk, last);
    }
    sink_.finish();
  }

  // Chunk 0 is in the ring and full. The threads wait until it is known how many could be started: fewer
  // workers do the same work, and without a reader and a writer the caller does all of it.
  void run_threads() {
    std::vector<std::thread> threads;
    threads.reserve(options_.workers + 1);
    const auto start = [&](auto stage) {
      threads.emplace_back([this, stage] {
        if (wait([this] { return workers_ != 0; })) guard(stage);
      });
    };
    try {
      platform::start_without_signals([&] {
        start([this] { read_loop(); });
        start([this] { write_loop(); });
        for (unsigned worker = 1; worker < options_.workers; ++worker)
          start([this, worker] { work_loop(worker); });
      });
    } catch (const std::exception&) {  // the threads that were started do the work
    }
    const bool enough = threads.size() >= 2;
    publish([&] { enough ? workers_ = threads.size() - 1 : stopped_ = true; });
    if (enough) guard([this] { work_loop(0); });
    for (std::thread& thread : threads) thread.join();
    if (!enough) run_in_turn();
  }

  void read_loop() {
    for (std::uint64_t chunk = 1;; ++chunk) {
      if (!wait([&] { return chunk - written_ < ring_.size(); })) return;
      const std::size_t got = read_chunk(chunk);
      // Only now is it known whether a full chunk is the last.
      publish([&] {
        if (got < capacity()) chunks_ = chunk + (got != 0 ? 1 : 0);
        read_ = got < capacity() ? chunks_ : chunk;
      });
      if (got < capacity()) return;
    }
  }

  // An error is reported in its chunk's turn: the error of an earlier chunk comes first.
  void work_loop(std::size_t worker) {
    for (std::uint64_t chunk = worker;; chunk += workers_) {
      if (!wait([&] { return chunk < read_ || chunk >= chunks_; }) || chunk >= chunks_or_more()) return;
      const bool last = chunk + 1 == chunks_or_more();
      const std::exception_ptr failure = failure_of([&] { run_parallel(chunk, last); });
      if (!wait([&] { return chunk == worked_; })) return;
      if (failure) std::rethrow_exception(failure);
      run_ordered(chunk, last);
      publish([&] { worked_ = chunk + 1; });
    }
  }

  void write_loop() {
    for (std::uint64_t chunk = 0; chunk < chunks_or_more(); ++chunk) {
      if (!wait([&] { return chunk < worked_; })) return;
      write_chunk(chunk);
      publish([&] { written_ = chunk + 1; });
    }
    sink_.finish();
  }

  std::uint64_t chunks_or_more() {
    const std::lock_guard lock(mutex_);
    return chunks_;
  }

  // False when another stage has failed.
  template <class Ready>
  bool wait(Ready ready) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || ready(); });
    return !stopped_;
  }

  template <class Change>
  void publish(Change change) {
    {
      const std::lock_guard lock(mutex_);
      change();
    }
    changed_.notify_all();
  }

  template <class Stage>
  void guard(Stage stage) noexcept {
    if (std::exception_ptr failure = failure_of(stage)) stop(std::move(failure));
  }

  void stop(std::exception_ptr error) noexcept {
    publish([&] {
      if (!stopped_) first_error_ = std::move(error);
      stopped_ = true;
    });
    source_.cancel();
    sink_.cancel();
  }

  Source& source_;
  Sink& sink_;
  const Ring ring_;
  const OrderedStage& ordered_;
  const PumpOptions& options_;
  std::vector<std::size_t> bytes_;  // per ring slot: the result of the previous stage

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t workers_ = 0;                                           // 0: not known yet
  std::uint64_t read_ = 0;                                            // chunks the worker may take
  std::uint64_t worked_ = 0;                                          // chunks the writer may take
  std::uint64_t written_ = 0;                                         // chunks the reader may overwrite
  std::uint64_t chunks_ = std::numeric_limits<std::uint64_t>::max();  // the total, once known
  bool stopped_ = false;
  std::exception_ptr first_error_;
};

}  // namespace

void pump(Source& source, Sink& sink, Ring ring, const OrderedStage& ordered, const PumpOptions& options) {
  check_ring(ring, options.reserve_bytes, options.alone);
  Pump(source, sink, ring, ordered, options).run();
}

}  // namespace fugu::stream
