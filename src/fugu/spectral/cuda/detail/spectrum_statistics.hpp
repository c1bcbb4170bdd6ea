// The statistics that a last pass over a Boolean spectrum gathers instead of writing it. Internal.
#pragma once

#include <optional>

#include "fugu/spectral/cuda/walsh.hpp"
#include "kernels/spectral_launch.hpp"

namespace fugu::spectral::cuda {

// The memory of a last pass's statistics, in one buffer: scalars, then counters of quotients, so that one
// copy fetches the scalars and the counters of the likely quotients; both are 0 before the pass. The values
// of other quotients follow.
struct Statistics {
  device::Buffer<std::uint32_t> words;
  kernels::SpectrumStatistics view{};
};

// Only max |W|, or the degree + 1. With Reply::by_last_block it is the host's as soon as the last block has
// it.
enum class Reply : std::uint8_t { by_copy, by_last_block };
Statistics make_scalars(Reply reply, const device::Stream& stream);
// Also the counts of a function of `variables` variables.
Statistics make_counters(int variables, const device::Stream& stream);

// Return null if an earlier pass lost values. Wait.
std::optional<std::uint32_t> read_largest(const Statistics& statistics, const device::Stream& stream);
std::optional<SpectrumCounts> read_counts(const Statistics& statistics, const device::Stream& stream);

}  // namespace fugu::spectral::cuda
