#include "fugu/format/units.hpp"

#include <bit>
#include <mutex>
#include <utility>

#include "fugu/error.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/detail/range.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::format {
namespace {

constexpr std::uint64_t kMaxStretchBytes = std::uint64_t{2} << 20;  // a huge page of the output
constexpr std::uint64_t kStretchesToShare = 64;
constexpr std::size_t kMaxChunkBytes = std::size_t{4} << 20;  // each thread takes one

std::uint64_t left_of(stream::Source& source, std::uint64_t offset) {
  const std::uint64_t size = source.size_bytes().value_or(0);
  return size - std::min(size, offset);
}

mode::Iv block_before(stream::Source& source, std::uint64_t offset) {
  mode::Iv block;
  if (!source.read_at(block, offset - block.size()))
    throw Error(Errc::io, "became shorter while it was read");
  return block;
}

// What a job's source holds, from where it stands, in stretches that threads take in order.
class Shared {
 public:
  Shared(const Job& job, const UnitWork& work) : job_(job), work_(work) {
    const bool in_order = !job.memory.empty() || job.chunk_bytes != 0 || job.watcher != nullptr;
    const std::optional<std::uint64_t> begin = job.source.offset();
    if (work.input_bytes == 0 || work.chunk_bytes > kMaxChunkBytes || in_order || !begin ||
        job.engine.threads() < 2 || job.engine.preferred_chunk_bytes() > kMaxChunkBytes)
      return;
    begin_ = *begin;
    const std::uint64_t left = left_of(job.source, begin_);
    const std::uint64_t share = job.source.size_bytes().value_or(0) / kStretchesToShare;
    const std::uint64_t bytes =
        std::clamp<std::uint64_t>(std::bit_floor(share), kAloneChunkBytes, kMaxStretchBytes);
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
