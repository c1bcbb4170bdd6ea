// A file's work in units that depend on each other in nothing but the input, for threads that each read,
// process and write one while it is in their core's cache. Private to format.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "fugu/format/job.hpp"

namespace fugu::format {

// The input of a unit becomes as many bytes of output. `chunk`: the memory that it takes.
struct UnitBytes {
  std::uint64_t input = 0;
  std::uint64_t output = 0;
  std::size_t chunk = 0;
};

// About what one unit of the job should read.
std::uint64_t suitable_unit_bytes(const Job& job);

// Calls run(unit_job, unit) for the first units of the job, in any order and on the engine's threads; each
// call reads all of its job's source and writes all of its sink. Returns their number; the job's source and
// sink are then past them. Never all of the input: its end, and what the engine would rather have in large
// calls, are left to a pump. 0 when the source, the sink or the caller (Job::chunk_bytes, watcher) requires
// order. Throws what the first unit that failed has thrown.
std::uint64_t run_units(const Job& job, engine::Op op, const UnitBytes& bytes,
                        const std::function<void(const Job& unit_job, std::uint64_t unit)>& run);

// A job's source after run_units(), with the size of what is left.
class RestSource final : public stream::Source {
 public:
  RestSource(stream::Source& source, std::uint64_t done_bytes) : source_(source), done_bytes_(done_bytes) {}

  std::size_t read(std::span<std::byte> into) override { return source_.read(into); }
  std::size_t read_parts(std::span<const std::span<std::byte>> parts) override {
    return source_.read_parts(parts);
  }
  std::optional<std::uint64_t> size_bytes() const override;
  void cancel() noexcept override { source_.cancel(); }

 private:
  stream::Source& source_;
  std::uint64_t done_bytes_;
};

}  // namespace fugu::format
