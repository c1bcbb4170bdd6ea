// Runs jobs: one cipher stream, chunks in a ring, units on threads.
#include "fugu/format/job.hpp"

#include <bit>
#include <mutex>

#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/salvage.hpp"
#include "fugu/mode/chain.hpp"
#include "fugu/threads/thread_pool.hpp"

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
  mode::Settings of_stream = settings;
  if (saves) of_stream.padding = mode::Padding::none;
  mode::CipherStream cipher(job.engine, schedule, of_stream, direction);
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

constexpr std::uint64_t kMaxStretchBytes = std::uint64_t{2} << 20;  // a huge page of the output
constexpr std::uint64_t kStretchesToShare = 64;
constexpr std::size_t kMaxChunkBytes = std::size_t{4} << 20;  // each thread takes one

mode::Iv block_before(stream::Source& source, std::uint64_t offset) {
  mode::Iv block;
  if (!source.read_at(block, offset - block.size()))
    throw Error(Errc::io, "became shorter while it was read");
  return block;
}

// The contents of a job's source, from its position on, in stretches that threads take in order.
class Shared {
 public:
  Shared(const Job& job, const UnitWork& work) : job_(job), work_(work) {
    const bool in_order = !job.memory.empty() || job.chunk_bytes != 0 || job.watcher != nullptr;
    const std::optional<std::uint64_t> begin = job.source.offset();
    if (work.input_bytes == 0 || work.chunk_bytes > kMaxChunkBytes || in_order || !begin ||
        job.engine.threads() < 2 || job.engine.preferred_chunk_bytes() > kMaxChunkBytes)
      return;
    begin_ = *begin;
    const std::uint64_t size = job.source.size_bytes().value_or(0);
    const std::uint64_t left = size - std::min(size, begin_);
    const std::uint64_t bytes = std::clamp<std::uint64_t>(std::bit_floor(size / kStretchesToShare),
                                                          kAloneChunkBytes, kMaxStretchBytes);
    units_ = std::max<std::uint64_t>(1, bytes / work.input_bytes);
    count_ = (left - std::min<std::uint64_t>(left, 1)) / input_bytes();
    if (count_ < 2 || !job.sink.begin_parts(count_ * output_bytes())) count_ = 0;
  }

  // Runs all full stretches. Returns the rest, which begins where the job's source and sink then are: never
  // nothing, since only reading on finds the end.
  Stretch run() {
    if (count_ == 0) return {};
    threads::ThreadPool pool(static_cast<unsigned>(std::min<std::uint64_t>(job_.engine.threads(), count_)));
    pool.for_each(count_, [this](std::size_t turn) {
      engine::Chunk chunk = idle_chunk();
      run_alone(turn, chunk.span());
      const std::lock_guard lock(mutex_);
      idle_.push_back(std::move(chunk));
    });
    job_.source.advance(count_ * input_bytes());
    job_.sink.advance(count_ * output_bytes());
    return stretch(count_, true);
  }

  std::uint64_t begin_of(const Stretch& stretch) const { return begin_ + stretch.first * work_.input_bytes; }

 private:
  std::uint64_t input_bytes() const { return units_ * work_.input_bytes; }
  std::uint64_t output_bytes() const { return units_ * work_.output_bytes; }

  Stretch stretch(std::uint64_t turn, bool to_end) const {
    Stretch units{.first = turn * units_, .to_end = to_end};
    if (work_.chained && turn != 0) units.before = block_before(job_.source, begin_of(units));
    return units;
  }

  // Fresh memory causes page faults, so a chunk serves many turns.
  engine::Chunk idle_chunk() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return engine::allocate_host_chunk(work_.chunk_bytes);
    engine::Chunk chunk = std::move(idle_.back());
    idle_.pop_back();
    return chunk;
  }

  void run_alone(std::uint64_t turn, std::span<std::byte> memory) {
    const std::uint64_t at = begin_ + turn * input_bytes();
    PartSource source(job_.source, at, at + input_bytes());
    const std::unique_ptr<stream::Sink> sink = job_.sink.part(turn * output_bytes());
    Job alone = with_sink(with_source(job_, source), *sink);
    alone.chunk_bytes = kAloneChunkBytes;
    alone.memory = memory;
    work_.run(alone, stretch(turn, false));
  }

  const Job& job_;
  const UnitWork& work_;
  std::uint64_t begin_ = 0;  // in the source
  std::uint64_t units_ = 0;  // per stretch
  std::uint64_t count_ = 0;  // of stretches
  std::mutex mutex_;
  std::vector<engine::Chunk> idle_;  // under mutex_
};

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

void run_all(const Job& job, const UnitWork& work) {
  Shared shared(job, work);
  const Stretch rest = shared.run();
  if (rest.first == 0) return work.run(job, rest);
  RestSource source(job.source, shared.begin_of(rest));
  work.run(with_source(job, source), rest);
}

std::uint64_t FileUnits::count() const {
  const std::uint64_t full = data_bytes() / work_.input_bytes;
  if (work_.ends_short) return full + 1;
  return std::max<std::uint64_t>(1, full + (data_bytes() % work_.input_bytes != 0 ? 1 : 0));
}

std::uint64_t FileUnits::output_offset(std::uint64_t unit) const {
  if (unit == 0) return 0;
  return unit * work_.output_bytes + (plan_.direction == core::Direction::encrypt ? plan_.header.size() : 0);
}

void FileUnits::run(const Job& job, std::uint64_t first, std::uint64_t end) const {
  if (first == 0 && plan_.direction == core::Direction::encrypt) write_counted(job, plan_.header);
  Stretch stretch{.first = first, .to_end = end == count()};
  const std::uint64_t at = data_begin() + first * work_.input_bytes;
  const std::uint64_t bytes = stretch.to_end ? data_bytes() : end * work_.input_bytes;
  if (work_.chained && first != 0) stretch.before = block_before(job.source, at);
  PartSource source(job.source, at, data_begin() + bytes);
  Job here = with_source(job, source);
  if (source.size_bytes() == 0) here.memory = {};
  work_.run(here, stretch);
}

}  // namespace fugu::format
