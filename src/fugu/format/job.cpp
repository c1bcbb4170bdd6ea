#include "fugu/format/job.hpp"

#include <utility>

#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/salvage.hpp"
#include "fugu/format/units.hpp"
#include "fugu/mode/chain.hpp"

namespace fugu::format {
namespace {

using core::kBlockBytes;

// A chain runs at the speed of one core: larger chunks would only exceed the caches.
constexpr std::size_t kSerialChunkBytes = std::size_t{1} << 20;
constexpr std::size_t kMinChunkBytes = std::size_t{64} << 10;

constexpr std::size_t kChunksToOverlap = 16;
constexpr std::size_t kMinParallelBytes = std::size_t{4} << 20;

// The bytes of a call for each thread of a CPU engine, and the most for all threads together.
constexpr std::size_t kBytesPerThread = std::size_t{1} << 20;
constexpr std::size_t kMaxBytesOfThreads = std::size_t{16} << 20;
constexpr unsigned kMinThreadsForTwoWorkers = 4;

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
  if (!job.memory.empty()) return 1;
  const std::optional<std::uint64_t> bytes = job.source.size_bytes();
  const std::size_t most = ring_chunks(workers);
  return bytes ? static_cast<std::size_t>(std::clamp<std::uint64_t>(*bytes / chunk_bytes + 1, 2, most))
               : most;
}

std::size_t round_up_to_blocks(std::size_t bytes) {
  return std::max<std::size_t>(1, (bytes + kBlockBytes - 1) / kBlockBytes) * kBlockBytes;
}

mode::Settings unpadded(mode::Settings settings) {
  settings.padding = mode::Padding::none;
  return settings;
}

// Of a damaged file: whole blocks, and only padding that is valid is taken off.
std::size_t save_last(SalvageReport& report, mode::CipherStream& cipher, const mode::Settings& settings,
                      std::span<std::byte> chunk, std::size_t size_bytes) {
  const std::size_t rest = mode::is_padded(settings.mode) ? size_bytes % kBlockBytes : 0;
  const std::size_t bytes = cipher.process(chunk, size_bytes - rest, true);
  if (rest != 0) note_damage(report, kEndsInsideBlock);
  const bool is_padded = mode::is_padded(settings.mode) || settings.pads_streams;
  if (rest != 0 || !is_padded) return bytes;
  const auto padding =
      mode::padding_bytes(settings.padding, chunk.first(bytes).last(std::min(bytes, kBlockBytes)));
  if (!padding) note_damage(report, kEndsWithoutPadding);
  return bytes - padding.value_or(0);
}

void pump_stream(const Job& job, const cipher::Schedule& schedule, const mode::Settings& settings,
                 core::Direction direction) {
  Watcher* const watcher = direction == core::Direction::decrypt ? job.watcher : nullptr;
  const std::size_t chunk_bytes = round_up_to_blocks(
      job.chunk_bytes != 0 ? job.chunk_bytes : suitable_chunk_bytes(job, settings, direction));
  const bool may_grow = direction == core::Direction::encrypt || mode::steals(settings.padding);
  const std::size_t reserve_bytes = may_grow ? mode::kMaxPaddingBytes : 0;
  const bool saves = job.salvage != nullptr && !mode::keeps_length(settings.padding);
  mode::CipherStream cipher(job.engine, schedule, saves ? unpadded(settings) : settings, direction);
  std::vector<std::byte> ciphertext;  // a copy for the watcher, since the work is done in place
  const auto work = [&](std::span<std::byte> chunk, std::size_t size_bytes, bool last) {
    if (saves && last) return save_last(*job.salvage, cipher, settings, chunk, size_bytes);
    if (watcher == nullptr) return cipher.process(chunk, size_bytes, last);
    ciphertext.assign(chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(size_bytes));
    const std::size_t out_bytes = cipher.process(chunk, size_bytes, last);
    watcher->chunk(ciphertext, chunk.first(out_bytes));
    return out_bytes;
  };
  pump_chunks(job, job.source, job.sink, chunk_bytes, reserve_bytes, work);
}

// Whether a mode can start at any block, as it can where its chaining value is a counter or ciphertext.
// Stolen ciphertext needs the last two blocks together.
bool is_independent(const mode::Settings& settings, core::Direction direction) {
  using mode::Mode;
  const Mode mode = settings.mode;
  if (mode::steals(settings.padding)) return false;
  const bool chains_ciphertext = mode == Mode::cbc || mode == Mode::cfb64;
  return mode == Mode::ecb || mode == Mode::ctr ||
         (chains_ciphertext && direction == core::Direction::decrypt);
}

// The settings that continue at byte `offset` of the data, behind the ciphertext block `before`.
mode::Settings settings_at(const mode::Settings& settings, core::Direction direction, std::uint64_t offset,
                           const mode::Iv& before) {
  mode::Settings continued = settings;
  if (offset == 0 || settings.mode == mode::Mode::ecb) return continued;
  if (settings.mode != mode::Mode::ctr) {
    continued.iv = before;
    return continued;
  }
  mode::Chain chain(settings, direction);
  chain.seek(offset);
  continued.iv = chain.iv();
  return continued;
}

UnitWork work_of(std::shared_ptr<const cipher::Schedule> schedule, const mode::Settings& settings,
                 core::Direction direction) {
  UnitWork work;
  if (is_independent(settings, direction)) work.input_bytes = work.output_bytes = kAloneChunkBytes;
  work.chained = settings.mode == mode::Mode::cbc || settings.mode == mode::Mode::cfb64;
  work.chunk_bytes = kAloneChunkBytes + mode::kMaxPaddingBytes;
  work.run = [schedule = std::move(schedule), settings, direction](const Job& job, const Stretch& stretch) {
    mode::Settings here = settings_at(settings, direction, stretch.first * kAloneChunkBytes, stretch.before);
    if (!stretch.to_end) here.padding = mode::Padding::none;
    pump_stream(job, *schedule, here, direction);
  };
  return work;
}

}  // namespace

void run_cipher(const Job& job, std::span<const std::byte> key, const mode::Settings& settings,
                core::Direction direction) {
  const UnitWork work =
      work_of(std::make_shared<const cipher::Schedule>(schedule_of(key)), settings, direction);
  if (job.watcher != nullptr && direction == core::Direction::decrypt) job.watcher->begin(settings, key);
  run_all(job, work);
}

void run_cipher(const Job& job, const cipher::Schedule& schedule, const mode::Settings& settings,
                core::Direction direction) {
  const std::shared_ptr<const cipher::Schedule> borrowed(std::shared_ptr<void>(), &schedule);
  run_all(with_source(job, job.source), work_of(borrowed, settings, direction));
}

UnitPlan divided(UnitPlan plan, std::uint64_t input_bytes) {
  if (!is_independent(plan.settings, plan.direction)) {
    throw Error(Errc::usage, std::string(mode::name_of(plan.settings.mode)) + " cannot be " +
                                 (plan.direction == core::Direction::encrypt ? "encrypted" : "decrypted") +
                                 " in parts: use fugu, in which one process does the whole file");
  }
  plan.input_bytes = input_bytes;
  return plan;
}

UnitWork stream_work(const UnitPlan& plan) {
  return work_of(std::make_shared<const cipher::Schedule>(schedule_of(plan.key.span())), plan.settings,
                 plan.direction);
}

unsigned parallel_workers(const Job& job) {
  return !job.memory.empty() || job.engine.threads() < kMinThreadsForTwoWorkers ? 1 : 2;
}

std::size_t parallel_chunk_bytes(const Job& job) {
  const std::optional<std::uint64_t> size = job.source.size_bytes();
  const std::size_t of_threads = std::min(job.engine.threads() * kBytesPerThread, kMaxBytesOfThreads);
  const std::size_t preferred = std::max(job.engine.preferred_chunk_bytes(), of_threads);
  if (!size) return preferred;
  return static_cast<std::size_t>(std::min<std::uint64_t>(
      preferred, std::max<std::uint64_t>(*size / kChunksToOverlap, kMinParallelBytes)));
}

void pump_chunks(const Job& job, stream::Source& source, stream::Sink& sink, std::size_t chunk_bytes,
                 std::size_t reserve_bytes, const stream::OrderedStage& ordered,
                 const stream::ParallelStage& parallel) {
  const unsigned workers = parallel ? parallel_workers(job) : 1;
  std::vector<engine::Chunk> chunks;
  std::vector<std::span<std::byte>> ring;
  const std::size_t size = chunk_bytes + reserve_bytes;
  if (job.memory.size() >= size) ring.push_back(job.memory.first(size));
  while (ring.size() < useful_chunks(job, chunk_bytes, workers)) {
    chunks.push_back(job.engine.allocate(size));
    ring.push_back(chunks.back().span());
  }
  const auto stage = [&](std::span<std::byte> chunk, std::size_t size_bytes, bool last) {
    if (job.stop.stop_requested()) throw Error(Errc::interrupted, "interrupted");
    return ordered(chunk, size_bytes, last);
  };
  stream::pump(source, sink, ring, stage,
               {.reserve_bytes = reserve_bytes,
                .counters = job.counters,
                .parallel = parallel,
                .workers = workers,
                .alone = !job.memory.empty()});
}

void count_read(const Job& job, std::size_t bytes) {
  if (job.counters != nullptr) job.counters->bytes_read += bytes;
}

void write_counted(const Job& job, std::span<const std::byte> bytes) {
  job.sink.write(bytes);
  if (job.counters != nullptr) job.counters->bytes_written += bytes.size();
}

}  // namespace fugu::format
