#include "fugu/format/job.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "fugu/error.hpp"
#include "fugu/format/detail/chaining.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/detail/units.hpp"

namespace fugu::format {
namespace {

using core::kBlockBytes;

// A chain runs at the speed of one core: larger chunks would only exceed the caches.
constexpr std::size_t kSerialChunkBytes = std::size_t{1} << 20;
constexpr std::size_t kMinChunkBytes = std::size_t{64} << 10;

constexpr std::size_t kChunksToOverlap = 16;
constexpr std::size_t kMinParallelBytes = std::size_t{4} << 20;

std::size_t suitable_chunk_bytes(const Job& job, const mode::Settings& settings, core::Direction direction) {
  const bool serial = mode::is_serial(settings.mode, direction);
  std::size_t bytes =
      std::min(parallel_chunk_bytes(job), serial ? kSerialChunkBytes : kMaxRingBytes / kRingChunks);
  // A small file is one chunk, with room to notice its end; its size is a hint and may be wrong.
  if (const auto size = job.source.size_bytes(); size && *size < bytes)
    bytes = std::max(static_cast<std::size_t>(*size) + 1, kMinChunkBytes);
  return bytes;
}

// Allocate no more chunks than the input fills. The size is only a hint, so keep at least two.
std::size_t useful_chunks(const Job& job, std::size_t chunk_bytes, unsigned workers) {
  if (job.alone) return 1;
  const std::optional<std::uint64_t> bytes = job.source.size_bytes();
  const std::size_t most = ring_chunks(workers);
  return bytes ? static_cast<std::size_t>(std::clamp<std::uint64_t>(*bytes / chunk_bytes + 1, 2, most))
               : most;
}

std::size_t round_up_to_blocks(std::size_t bytes) {
  return std::max<std::size_t>(1, (bytes + kBlockBytes - 1) / kBlockBytes) * kBlockBytes;
}

void pump_stream(const Job& job, const cipher::Schedule& schedule, const mode::Settings& settings,
                 core::Direction direction) {
  Watcher* const watcher = direction == core::Direction::decrypt ? job.watcher : nullptr;
  const std::size_t chunk_bytes = round_up_to_blocks(
      job.chunk_bytes != 0 ? job.chunk_bytes : suitable_chunk_bytes(job, settings, direction));
  const std::size_t reserve_bytes = direction == core::Direction::encrypt ? mode::kMaxPaddingBytes : 0;
  mode::CipherStream cipher(job.engine, schedule, settings, direction);
  std::vector<std::byte> ciphertext;  // only for the watcher: the work is done in place
  const auto work = [&](std::span<std::byte> chunk, std::size_t size_bytes, bool last) {
    if (watcher == nullptr) return cipher.process(chunk, size_bytes, last);
    ciphertext.assign(chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(size_bytes));
    const std::size_t out_bytes = cipher.process(chunk, size_bytes, last);
    watcher->chunk(ciphertext, chunk.first(out_bytes));
    return out_bytes;
  };
  pump_chunks(job, job.source, job.sink, chunk_bytes, reserve_bytes, work);
}

void run_stream(const Job& job, const cipher::Schedule& schedule, const mode::Settings& settings,
                core::Direction direction) {
  const std::optional<engine::Op> op = independent_op(settings.mode, direction);
  const std::optional<std::uint64_t> begin = job.source.offset();
  if (!op || !begin) return pump_stream(job, schedule, settings, direction);
  const std::uint64_t bytes = suitable_unit_bytes(job);
  const auto at = [&](std::uint64_t unit) {
    return settings_at(settings, direction, job.source, *begin, unit * bytes);
  };
  const std::uint64_t done = run_units(job, *op, {bytes, bytes, kAloneChunkBytes + mode::kMaxPaddingBytes},
                                       [&](const Job& unit_job, std::uint64_t unit) {
                                         mode::Settings within = at(unit);
                                         within.padding = mode::Padding::none;
                                         pump_stream(unit_job, schedule, within, direction);
                                       });
  if (done == 0) return pump_stream(job, schedule, settings, direction);
  RestSource rest(job.source, *begin + done * bytes);
  pump_stream(with_source(job, rest), schedule, at(done), direction);
}

}  // namespace

void run_cipher(const Job& job, std::span<const std::byte> key, const mode::Settings& settings,
                core::Direction direction) {
  cipher::Schedule schedule;
  cipher::expand(key, schedule);
  if (job.watcher != nullptr && direction == core::Direction::decrypt) job.watcher->begin(settings, key);
  run_stream(job, schedule, settings, direction);
}

void run_cipher(const Job& job, const cipher::Schedule& schedule, const mode::Settings& settings,
                core::Direction direction) {
  Job unwatched = job;
  unwatched.watcher = nullptr;
  run_stream(unwatched, schedule, settings, direction);
}

std::size_t parallel_chunk_bytes(const Job& job) {
  const std::size_t preferred = job.engine.preferred_chunk_bytes();
  const std::uint64_t size = job.source.size_bytes().value_or(~std::uint64_t{0});
  return static_cast<std::size_t>(std::min<std::uint64_t>(
      preferred, std::max<std::uint64_t>(size / kChunksToOverlap, kMinParallelBytes)));
}

void pump_chunks(const Job& job, stream::Source& source, stream::Sink& sink, std::size_t chunk_bytes,
                 std::size_t reserve_bytes, const stream::OrderedStage& ordered,
                 const stream::ParallelStage& parallel) {
  const unsigned workers = parallel ? job.engine.calls_at_a_time() : 1;
  std::vector<engine::Chunk> chunks;
  std::vector<std::span<std::byte>> ring;
  const std::size_t size = chunk_bytes + reserve_bytes;
  if (job.memory.size() >= size) ring.push_back(job.memory.first(size));
  while (ring.size() < useful_chunks(job, chunk_bytes, workers)) {
    chunks.push_back(job.engine.allocate(size));
    ring.push_back(chunks.back().span());
  }
  if (const auto bytes = job.source.size_bytes()) job.engine.expect(*bytes);
  const auto stage = [&](std::span<std::byte> chunk, std::size_t size_bytes, bool last) {
    job.engine.for_each(0, [](std::size_t) {});  // chains need no engine; one that was stopped ends them too
    return ordered(chunk, size_bytes, last);
  };
  stream::pump(source, sink, ring, stage,
               {.reserve_bytes = reserve_bytes,
                .counters = job.counters,
                .parallel = parallel,
                .workers = workers,
                .alone = job.alone});
}

void count_read(const Job& job, std::size_t bytes) {
  if (job.counters != nullptr) job.counters->bytes_read += bytes;
}

void write_counted(const Job& job, std::span<const std::byte> bytes) {
  job.sink.write(bytes);
  if (job.counters != nullptr) job.counters->bytes_written += bytes.size();
}

}  // namespace fugu::format
