// A file's work in units that depend on each other in nothing but the input: runs of blocks of a cipher
// stream, or the segments of a sealed file.
//
// There is one way to run them, for the threads of a process, for a range, and for several processes on one
// file: UnitWork::run. A pipe is one stretch of all units.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "fugu/auth/secret.hpp"
#include "fugu/format/job.hpp"

namespace fugu::format {

// Consecutive units.
struct Stretch {
  std::uint64_t first = 0;  // the number of the first unit
  bool to_end = true;       // the data ends with the stretch; otherwise its units are full
  mode::Iv before = {};     // UnitWork::chained: the 8 bytes of data before the stretch, unless first is 0
};

// How the units of one file are run.
struct UnitWork {
  // The size of every unit but the last, in the input and in the output. 0: there is one unit.
  std::uint64_t input_bytes = 0;
  std::uint64_t output_bytes = 0;
  bool ends_short = false;      // the last unit is shorter than the others, possibly empty
  bool chained = false;         // a unit's beginning depends on the input ahead of it
  std::size_t chunk_bytes = 0;  // the memory for a job beside others (Job::memory)

  // Reads the stretch from the job's source, to its end, and writes its output to the job's sink.
  // Thread-safe.
  std::function<void(const Job& job, const Stretch& stretch)> run;
};

// Runs all that the job's source still holds: on the engine's threads, each with its own units, if the source
// and the sink can be used at several places and nothing about the job requires order; otherwise as one
// stretch. Throws what the first unit that failed has thrown.
FUGU_EXPORT void run_all(const Job& job, const UnitWork& work);

// What every process needs to run units of one file. One process makes it: it reads the header, asks for the
// secret and draws random values. The outputs of all units, with the header before the data when encrypting,
// are what Codec::seal or Codec::open writes with the same random values.
struct UnitPlan {
  core::Direction direction = core::Direction::encrypt;
  std::uint64_t input_bytes = 0;       // of the whole input
  std::vector<std::byte> header = {};  // precedes the data on the encrypted side
  mode::Settings settings = {};        // of a cipher stream
  auth::SecretBytes key = {};          // the file's secret; the format knows its kind
};

// The units of one file, at their places in it.
class FUGU_EXPORT FileUnits {
 public:
  // `plan` outlives it.
  FileUnits(const UnitPlan& plan, UnitWork work) : plan_(plan), work_(std::move(work)) {}

  // At least 1.
  std::uint64_t count() const;

  // The memory for a job beside others.
  std::size_t chunk_bytes() const { return work_.chunk_bytes; }

  // The offset of this unit's first byte in the whole output. The header belongs to unit 0.
  std::uint64_t output_offset(std::uint64_t unit) const;

  // Runs units [first, end). The job's source is the whole input and seekable; its sink gets their output.
  void run(const Job& job, std::uint64_t first, std::uint64_t end) const;

 private:
  std::uint64_t data_begin() const {
    return plan_.direction == core::Direction::decrypt ? plan_.header.size() : 0;
  }
  std::uint64_t data_bytes() const { return plan_.input_bytes - std::min(plan_.input_bytes, data_begin()); }

  const UnitPlan& plan_;
  UnitWork work_;
};

// `plan`, of a file that is one cipher stream behind its header, for an input of this size. Throws
// Error{usage} when a block needs the one before it processed.
FUGU_EXPORT UnitPlan divided(UnitPlan plan, std::uint64_t input_bytes);

// The units of such a file.
FUGU_EXPORT UnitWork stream_work(const UnitPlan& plan);

}  // namespace fugu::format
