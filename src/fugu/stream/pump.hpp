// Reader, workers and writer over a small ring of chunks: chunk k+1 is read and chunk k-1 is written while
// chunk k is processed. Memory use is the ring, whatever the size of the input.
//
// The first worker is the calling thread. An input that ends within the first chunk is read, processed and
// written there, and no thread is started. The additional threads for longer inputs block all signals. A pump
// that runs beside others, on one thread of several, starts none either; one that cannot start any does all
// the work on the calling thread.
#pragma once

#include <atomic>
#include <functional>

#include "fugu/stream/sink.hpp"

namespace fugu::stream {

// The ordered stage: turns the first `size_bytes` of `chunk` into output in place and returns the output's
// size, at most chunk.size(). `last` is set for exactly one chunk, the final one, which is empty only when
// the whole input is.
using OrderedStage =
    std::function<std::size_t(std::span<std::byte> chunk, std::size_t size_bytes, bool last)>;

// The parallel stage, ahead of the ordered one: processes chunk number `index` in place, while other threads
// process other chunks.
using ParallelStage =
    std::function<void(std::span<std::byte> chunk, std::size_t size_bytes, std::uint64_t index, bool last)>;

struct PumpCounters {
  std::atomic<std::uint64_t> bytes_read = 0;
  std::atomic<std::uint64_t> bytes_written = 0;
};

struct PumpOptions {
  std::size_t reserve_bytes = 0;     // room left by the reader at each chunk's end for longer output
  PumpCounters* counters = nullptr;  // updated during the work, for a progress display
  ParallelStage parallel = {};       // may be empty
  unsigned workers = 1;              // of the parallel stage: worker i modulo `workers` processes chunk i

  // Everything on the calling thread and in one chunk, from a source whose size_bytes() is exact and not 0.
  bool alone = false;
};

// Pumps `source` through the stages into `sink` and calls sink.finish(). Each ring chunk is one element of
// `ring` (at least two, of one size, a multiple of 8 after reserve_bytes; Error{usage} otherwise). All chunks
// but the last reach the stages full; `ordered` gets one at a time, in order. To know the last one, the
// reader stays a chunk ahead of the workers: reading, working and writing overlap fully with at least three
// chunks and one per worker.
//
// After all threads have ended, rethrows the first error of reading, writing or, in the order of the chunks,
// working. On an error `source` and `sink` are cancelled, so that an idle pipe or terminal cannot delay it;
// only a consumer that leaves a full pipe open without reading it still can.
FUGU_EXPORT void pump(Source& source, Sink& sink, std::span<const std::span<std::byte>> ring,
                      const OrderedStage& ordered, const PumpOptions& options);

}  // namespace fugu::stream
