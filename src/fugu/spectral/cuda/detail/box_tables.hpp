// What kernels find of a box's tables, in whichever way: a component or row in a block's shared memory, or
// some of them at a time in the device's. What takes long throws Error{interrupted} soon after `stop` was
// asked to. Internal.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "fugu/device/buffer.hpp"
#include "fugu/spectral/cuda/device_box.hpp"
#include "kernels/sbox/sbox_launch.hpp"

namespace fugu::spectral::cuda {

// Of a box of `bits` inputs, the last of which need not matter.
struct FoundSpectra {
  int bits;
  std::vector<kernels::ComponentSummary> components;  // by b
  std::uint32_t branch;                               // as ComponentSummaries has them
  std::uint64_t peak;
  std::vector<std::uint64_t> counts;  // of W / 2 = -2^(bits - 1) ..., W != 0, b != 0
};

struct FoundRows {
  std::vector<std::uint64_t> counts;  // of delta / 2 = 0 ..., delta != 0
  std::uint32_t largest_zero;
  std::uint32_t lightest;
};

// By column b, 2^outputs of them at least.
struct FoundColumns {
  std::vector<std::uint32_t> largest;     // max |r| / 2
  std::vector<std::uint64_t> sums;        // of (r / 2)^2
  std::vector<std::uint32_t> structures;  // how often |r| = 2^inputs
  std::uint32_t lightest;                 // least wt(a), r(a,b) != 0, b != 0; or more than any
};

struct FoundTables {
  FoundRows rows;
  FoundColumns columns;
};

// `counts` of values `step` apart, the first being `first`; `total` says how many zeros there are besides.
spectral::Histogram histogram_of(std::span<const std::uint64_t> counts, std::int64_t first, std::int64_t step,
                                 std::int64_t divisor, std::uint64_t total);

// Of boxes of more than kernels::kMostBlockBits inputs. `coordinates`: all of 2^inputs points.
FoundSpectra wide_spectra(const DeviceBox& box, const device::Buffer<std::uint32_t>& coordinates,
                          const std::stop_token& stop);

// Of boxes of any inputs and up to kMaxOutputsOfAll outputs: rows alone, or columns too.
FoundRows wide_rows(const DeviceBox& box, const std::stop_token& stop);
FoundTables wide_tables(const DeviceBox& box, const std::stop_token& stop);

// The same of boxes whose entries are small and many, on devices with room for them in a block's shared
// memory: four to seven times as fast. Nothing of others.
std::optional<FoundRows> sparse_rows(const DeviceBox& box, const std::stop_token& stop);
std::optional<FoundTables> sparse_tables(const DeviceBox& box, const std::stop_token& stop);

// The same of boxes of 16 outputs and more whose r(a,b) are small, on devices with matrix instructions.
std::optional<FoundTables> byte_tables(const DeviceBox& box, const std::stop_token& stop);

}  // namespace fugu::spectral::cuda
