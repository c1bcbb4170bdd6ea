// The kernels' findings about rows and columns in device memory. Internal.
#pragma once

#include "fugu/spectral/cuda/detail/box_tables.hpp"
#include "fugu/spectral/cuda/detail/buffers.hpp"

namespace fugu::spectral::cuda {

// Summarises the findings about all components. Blocks until the result is there.
template <class Findings>
FoundSpectra found_spectra(const DeviceBox& box, int bits, const device::Buffer<Findings>& findings,
                           const device::Buffer<std::uint64_t>& counts) {
  const device::Stream& stream = box.stream();
  const auto summaries = zeros<kernels::ComponentSummary>(findings.size(), stream);  // no summary for b = 0
  const device::Buffer<std::uint32_t> branch = filled(std::vector{kernels::kNoWeight}, stream);
  const device::Buffer<std::uint64_t> peak = zeros<std::uint64_t>(1, stream);
  device::launch_on(stream, "component_summaries", [&](device::StreamHandle handle) {
    return kernels::launch_component_summaries(
        kernels::ComponentSummaries<Findings>{box.inputs(), std::uint32_t{1} << (bits - box.inputs()),
                                              static_cast<std::uint32_t>(findings.size()), findings.data(),
                                              summaries.data(), branch.data(), peak.data()},
        handle);
  });
  return {bits, values_of(summaries, stream), values_of(branch, stream)[0], values_of(peak, stream)[0],
          values_of(counts, stream)};
}

class RowBuffers {
 public:
  // `counters` is the number of counters, which are indexed by delta / 2.
  RowBuffers(std::size_t counters, const device::Stream& stream)
      : counts_(zeros<std::uint64_t>(counters, stream)),
        scalars_(filled(std::vector{0u, kernels::kNoWeight}, stream)) {}

  std::uint64_t* counts() const { return counts_.data(); }
  std::uint32_t* largest_zero() const { return scalars_.data(); }
  std::uint32_t* lightest() const { return scalars_.data() + 1; }

  // Blocks until the result is there.
  FoundRows found(const device::Stream& stream) const {
    const std::vector<std::uint32_t> scalars = values_of(scalars_, stream);
    return {values_of(counts_, stream), scalars[0], scalars[1]};
  }

 private:
  device::Buffer<std::uint64_t> counts_;
  device::Buffer<std::uint32_t> scalars_;
};

class ColumnBuffers {
 public:
  ColumnBuffers(std::size_t columns, const device::Stream& stream)
      : largest_(zeros<std::uint32_t>(columns, stream)),
        sums_(zeros<std::uint64_t>(columns, stream)),
        structures_(zeros<std::uint32_t>(columns, stream)),
        lightest_(filled(std::vector{kernels::kNoWeight}, stream)) {}

  std::uint32_t* largest() const { return largest_.data(); }
  std::uint64_t* sums() const { return sums_.data(); }
  std::uint32_t* structures() const { return structures_.data(); }
  std::uint32_t* lightest() const { return lightest_.data(); }

  // Blocks until the result is there.
  FoundColumns found(const device::Stream& stream) const {
    return {values_of(largest_, stream), values_of(sums_, stream), values_of(structures_, stream),
            values_of(lightest_, stream)[0]};
  }

 private:
  device::Buffer<std::uint32_t> largest_;
  device::Buffer<std::uint64_t> sums_;
  device::Buffer<std::uint32_t> structures_;
  device::Buffer<std::uint32_t> lightest_;
};

}  // namespace fugu::spectral::cuda
