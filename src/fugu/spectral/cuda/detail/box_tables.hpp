// The kernels' findings about a box's tables, whether a block's shared memory holds a component or row or
// device memory holds some of them at a time. Functions with a `stop` throw Error{interrupted} soon after it
// is requested. Internal.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "fugu/device/buffer.hpp"
#include "fugu/spectral/cuda/device_box.hpp"
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

// Returns the histogram in which value (first + i * step) / divisor has counts[i]; zeros make up the rest of
// the `total` entries.
spectral::Histogram histogram_of(std::span<const std::uint64_t> counts, std::int64_t first, std::int64_t step,
                                 std::int64_t divisor, std::uint64_t total);

// For boxes of more than kernels::kMostBlockBits inputs. `coordinates` are the truth tables of all
// coordinates, 2^inputs points each.
FoundSpectra wide_spectra(const DeviceBox& box, const device::Buffer<std::uint32_t>& coordinates,
                          const std::stop_token& stop);

// For boxes of any number of inputs and at most kMaxOutputsOfAll outputs: rows, or rows and columns.
FoundRows wide_rows(const DeviceBox& box, const std::stop_token& stop);
FoundTables wide_tables(const DeviceBox& box, const std::stop_token& stop);

}  // namespace fugu::spectral::cuda
