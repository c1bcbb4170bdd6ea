// Reader, worker and writer over a small ring of chunks: chunk k+1 is read and chunk k-1 is written while chunk k is
// worked on. Memory is the ring, whatever the size of the input.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "fugu/stream/sink.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::stream {

// Turns the first `size_bytes` of `chunk` into output in place and returns the output's size. `last` is set for
// exactly one chunk, the final one, which is empty only when the whole input is.
using Work = std::function<std::size_t(std::span<std::byte> chunk, std::size_t size_bytes, bool last)>;

struct PumpCounters {
  std::atomic<std::uint64_t> bytes_read = 0;
  std::atomic<std::uint64_t> bytes_written = 0;
};

struct PumpOptions {
  std::size_t reserve_bytes = 0;     // room the reader leaves at each chunk's end for output that is longer
  PumpCounters* counters = nullptr;  // updated as the work goes on, for a progress display
};

// Pumps `source` through `work` into `sink` and calls sink.finish(). Each ring chunk is one element of `ring` (two or
// more, one size, a multiple of 8 after reserve_bytes). Rethrows the first error of any of the three after all
// threads have ended. Chunks other than the last reach `work` full.
void pump(Source& source, Sink& sink, std::span<const std::span<std::byte>> ring, const Work& work,
          const PumpOptions& options);

}  // namespace fugu::stream
