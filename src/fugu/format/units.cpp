#include "fugu/format/detail/units.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>

#include "fugu/error.hpp"
#include "fugu/format/detail/range.hpp"

namespace fugu::format {
namespace {

constexpr std::uint64_t kMostUnitBytes = std::uint64_t{2} << 20;  // a huge page of the output
constexpr std::uint64_t kUnitsToShare = 64;
constexpr std::size_t kMostChunkBytes = std::size_t{4} << 20;  // each thread takes one

// Remembers the failure that comes first in the file. Units begin in order, and all that have begun end.
class FirstFailure {
 public:
  void note(std::uint64_t unit) {
    const std::lock_guard lock(mutex_);
    if (unit >= unit_) return;
    unit_ = unit;
    failure_ = std::current_exception();
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::uint64_t unit_ = std::numeric_limits<std::uint64_t>::max();
  std::exception_ptr failure_;
};

// The chunks of the units in progress. Fresh memory takes page faults, so units pass it on to each other.
class UnitMemory {
  struct Slot {
    engine::Chunk chunk;  // wiped when it dies
    bool taken = true;
  };

 public:
  explicit UnitMemory(std::size_t bytes) : bytes_(bytes) {}

  // Memory that nobody else has until the result dies.
  class Loan {
   public:
    explicit Loan(UnitMemory& owner) : owner_(owner), slot_(owner.take()) {}
    ~Loan() { owner_.give_back(slot_); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

    std::span<std::byte> span() const { return slot_.chunk.span(); }

   private:
    UnitMemory& owner_;
    Slot& slot_;
  };

 private:
  Slot& take() {
    const std::lock_guard lock(mutex_);
    const auto free = std::ranges::find(slots_, false, &Slot::taken);
    if (free == slots_.end()) {
      slots_.push_back({.chunk = engine::allocate_host_chunk(bytes_)});
      return slots_.back();
    }
    free->taken = true;
    return *free;
  }

  void give_back(Slot& slot) {
    const std::lock_guard lock(mutex_);
    slot.taken = false;
  }

  const std::size_t bytes_;
  std::mutex mutex_;
  std::deque<Slot> slots_;
};

std::uint64_t left_of(stream::Source& source, std::uint64_t offset) {
  const std::uint64_t size = source.size_bytes().value_or(0);
  return size - std::min(size, offset);
}

}  // namespace

std::uint64_t suitable_unit_bytes(const Job& job) {
  const std::uint64_t share = job.source.size_bytes().value_or(0) / kUnitsToShare;
  return std::clamp<std::uint64_t>(std::bit_floor(share), kAloneChunkBytes, kMostUnitBytes);
}

std::uint64_t run_units(const Job& job, engine::Op op, const UnitBytes& bytes,
                        const std::function<void(const Job&, std::uint64_t)>& run) {
  if (job.alone || job.chunk_bytes != 0 || job.watcher != nullptr || !job.sink.has_parts()) return 0;
  const std::optional<std::uint64_t> begin = job.source.offset();
  const std::uint64_t left = begin ? left_of(job.source, *begin) : 0;
  const std::uint64_t units = (left - std::min<std::uint64_t>(left, 1)) / bytes.input;
  if (units < 2 || bytes.chunk > kMostChunkBytes) return 0;
  job.engine.expect(left);
  FirstFailure first;
  UnitMemory memory(bytes.chunk);
  const auto turn = [&](engine::Engine& own, std::size_t unit) {
    try {
      const std::uint64_t at = *begin + unit * bytes.input;
      PartSource source(job.source, at, at + bytes.input);
      const std::unique_ptr<stream::Sink> sink = job.sink.part(unit * bytes.output);
      const UnitMemory::Loan loan(memory);
      run({own, source, *sink, kAloneChunkBytes, job.counters, nullptr, true, loan.span()}, unit);
    } catch (...) {
      first.note(unit);
      throw;
    }
  };
  std::uint64_t done = 0;
  try {
    done = job.engine.for_each_own(op, static_cast<std::size_t>(units), bytes.input, turn);
  } catch (...) {
    first.rethrow();
    throw;
  }
  job.source.advance(done * bytes.input);
  job.sink.advance(done * bytes.output);
  return done;
}

std::optional<std::uint64_t> RestSource::size_bytes() const {
  const std::optional<std::uint64_t> whole = source_.size_bytes();
  if (!whole) return std::nullopt;
  return *whole - std::min(*whole, done_bytes_);
}

}  // namespace fugu::format
