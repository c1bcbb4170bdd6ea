// The kernels' findings about a box's tables, whether a block's shared memory holds a component or row or
// device memory holds some of them at a time. Functions with a `stop` throw Error{interrupted} soon after it
// is requested. Internal.
#pragma once

#include "fugu/spectral/cuda/device_box.hpp"
#include "fugu/spectral/cuda/staging.hpp"
#include "kernels/sbox/sbox_launch.hpp"

namespace fugu::spectral::cuda {

// Findings about the spectra of a box, which was treated as one of `bits` inputs.
struct FoundSpectra {
  int bits;
  std::vector<kernels::ComponentSummary> components;  // indexed by b
  std::uint32_t branch;                               // those of kernels::ComponentSummaries
  std::uint64_t peak;
  std::vector<std::uint64_t> counts;  // how often W != 0 occurs, b != 0, indexed by W / 2 + 2^(bits - 1)
};

// `largest_zero` and `lightest` are those of kernels::DifferenceRows.
struct FoundRows {
  std::vector<std::uint64_t> counts;  // how often delta != 0 occurs, indexed by delta / 2
  std::uint32_t largest_zero;
  std::uint32_t lightest;
};

// The vectors are indexed by b and have at least 2^outputs elements.
struct FoundColumns {
  std::vector<std::uint32_t> largest;     // max |r| / 2
  std::vector<std::uint64_t> sums;        // sums of (r / 2)^2
  std::vector<std::uint32_t> structures;  // numbers of a with |r(a,b)| = 2^inputs
  std::uint32_t lightest;                 // min wt(a) over r(a,b) != 0, b != 0, or kernels::kNoWeight
};

struct FoundTables {
  FoundRows rows;
  FoundColumns columns;
};

// Summarises the findings about all components. Blocks until the result is there.
inline FoundSpectra found_spectra(const DeviceBox& box, int bits,
                                  const device::Buffer<kernels::ComponentFindings>& findings,
                                  const device::Buffer<std::uint64_t>& counts) {
  const device::Stream& stream = box.stream();
  const auto summaries = zeros<kernels::ComponentSummary>(findings.size(), stream);  // no summary for b = 0
  const device::Buffer<std::uint32_t> branch = filled(std::vector{kernels::kNoWeight}, stream);
  const device::Buffer<std::uint64_t> peak = zeros<std::uint64_t>(1, stream);
  device::launch_on(stream, "component_summaries", [&](device::StreamHandle handle) {
    return kernels::launch_component_summaries(
        {box.inputs(), std::uint32_t{1} << (bits - box.inputs()), static_cast<std::uint32_t>(findings.size()),
         findings.data(), summaries.data(), branch.data(), peak.data()},
        handle);
  });
  return {bits, values_of(summaries, stream), values_of(branch, stream)[0], values_of(peak, stream)[0],
          values_of(counts, stream)};
}

struct RowBuffers {
  // `counters` is the number of counters, which are indexed by delta / 2.
  RowBuffers(std::size_t counters, const device::Stream& stream)
      : counts(zeros<std::uint64_t>(counters, stream)),
        scalars(filled(std::vector{0u, kernels::kNoWeight}, stream)) {}

  std::uint32_t* largest_zero() const { return scalars.data(); }
  std::uint32_t* lightest() const { return scalars.data() + 1; }

  // Blocks until the result is there.
  FoundRows found(const device::Stream& stream) const {
    const std::vector<std::uint32_t> values = values_of(scalars, stream);
    return {values_of(counts, stream), values[0], values[1]};
  }

  device::Buffer<std::uint64_t> counts;
  device::Buffer<std::uint32_t> scalars;
};

struct ColumnBuffers {
  ColumnBuffers(std::size_t columns, const device::Stream& stream)
      : largest(zeros<std::uint32_t>(columns, stream)),
        sums(zeros<std::uint64_t>(columns, stream)),
        structures(zeros<std::uint32_t>(columns, stream)),
        lightest(filled(std::vector{kernels::kNoWeight}, stream)) {}

  // Blocks until the result is there.
  FoundColumns found(const device::Stream& stream) const {
    return {values_of(largest, stream), values_of(sums, stream), values_of(structures, stream),
            values_of(lightest, stream)[0]};
  }

  device::Buffer<std::uint32_t> largest;
  device::Buffer<std::uint64_t> sums;
  device::Buffer<std::uint32_t> structures;
  device::Buffer<std::uint32_t> lightest;
};

// Returns the histogram in which value (first + i * step) / divisor has counts[i]; zeros make up the rest of
// the `total` entries.
spectral::Histogram histogram_of(std::span<const std::uint64_t> counts, std::int64_t first, std::int64_t step,
                                 std::int64_t divisor, std::uint64_t total);

// For boxes of more than kernels::kMaxBlockBits inputs. `coordinates` are the truth tables of all
// coordinates, 2^inputs points each.
FoundSpectra wide_spectra(const DeviceBox& box, const device::Buffer<std::uint32_t>& coordinates,
                          const std::stop_token& stop);

// For boxes of any number of inputs and at most kMaxOutputsOfAll outputs.
FoundTables wide_tables(const DeviceBox& box, const std::stop_token& stop);

}  // namespace fugu::spectral::cuda
