// Tables of boxes of more than 16 inputs or outputs on a GPU: as many components or rows at a time as its
// second-level cache holds.
#include <algorithm>
#include <utility>

#include "fugu/spectral/cuda/detail/box_tables.hpp"
#include "fugu/spectral/cuda/detail/buffers.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "kernels/spectral_launch.hpp"

namespace fugu::spectral::cuda {
namespace {

using device::Buffer;
using device::Contents;
using device::StreamHandle;

constexpr int kSpectrumBits = 24;  // 16-bit values of components at a time: 32 MiB
constexpr int kRowBits = 23;       // 32-bit values of rows at a time: 32 MiB
constexpr int kMostRowsBits = 12;  // rows of few values

kernels::ComponentFindings findings_of(const kernels::WideFindings& found) {
  return {.largest = 2 * static_cast<std::uint32_t>(found.peak >> 32),
          .first = kernels::kNoInput - static_cast<std::uint32_t>(found.peak),
          .nonzero = found.nonzero,
          .lightest = found.lightest,
          .balanced = found.balanced};
}

// Components on their way through the passes, `count` at a time.
class SpectrumBatch {
 public:
  SpectrumBatch(const DeviceBox& box, const Buffer<std::uint32_t>& coordinates, int count_bits)
      : box_(box),
        coordinates_(coordinates),
        count_bits_(count_bits),
        words_(box.size() / 32),
        tables_(box.stream(), words_ << count_bits, Contents::open),
        narrow_(box.stream(), box.size() << count_bits, Contents::open) {}

  void run(std::uint32_t first, kernels::WideFindings* findings, std::uint64_t* counts) const {
    const std::uint32_t count = std::uint32_t{1} << count_bits_;
    const kernels::WideComponents components{.outputs = box_.outputs(),
                                             .words = static_cast<std::uint32_t>(words_),
                                             .coordinates = coordinates_.data(),
                                             .first = first,
                                             .count = count,
                                             .out = tables_.data()};
    const kernels::WideSpectra spectra{.inputs = box_.inputs(),
                                       .narrow = narrow_.data(),
                                       .first = first,
                                       .count = count,
                                       .findings = findings + first,
                                       .counts = counts};
    device::launch_on(box_.stream(), "wide_components", [&](StreamHandle handle) {
      return kernels::launch_wide_components(components, handle);
    });
    // The first stages do not tell many functions from one of more variables.
    device::launch_on(box_.stream(), "boolean_first", [&](StreamHandle handle) {
      return kernels::launch_boolean_first(tables_.data(), narrow_.data(), box_.inputs() + count_bits_,
                                           nullptr, handle);
    });
    device::launch_on(box_.stream(), "wide_spectra",
                      [&](StreamHandle handle) { return kernels::launch_wide_spectra(spectra, handle); });
  }

 private:
  const DeviceBox& box_;
  const Buffer<std::uint32_t>& coordinates_;
  int count_bits_;
  std::size_t words_;
  Buffer<std::uint32_t> tables_;
  Buffer<std::int16_t> narrow_;
};

// Rows of pairs, as many as fit at a time.
class RowBatches {
 public:
  explicit RowBatches(const DeviceBox& box)
      : box_(box),
        most_(std::uint32_t{1} << std::min({kRowBits - box.outputs(), kMostRowsBits, box.inputs()})),
        pairs_(zeros<std::uint32_t>(std::size_t{most_} << box.outputs(), box.stream())) {}

  // take(rows) with all a != 0, once they are counted; it sets them to zero.
  template <class Take>
  void for_each(Take take) const {
    const auto size = static_cast<std::uint32_t>(box_.size());
    for (std::uint32_t first = 1; first < size; first += most_) {
      const kernels::WideRows rows{.inputs = box_.inputs(),
                                   .outputs = box_.outputs(),
                                   .values = box_.values().data,
                                   .first = first,
                                   .last = std::min(first + most_, size),
                                   .pairs = pairs_.data()};
      device::launch_on(box_.stream(), "wide_rows",
                        [&](StreamHandle handle) { return kernels::launch_wide_rows(rows, handle); });
      take(rows);
    }
  }

 private:
  const DeviceBox& box_;
  std::uint32_t most_;
  Buffer<std::uint32_t> pairs_;
};

}  // namespace

FoundSpectra wide_spectra(const DeviceBox& box, const Buffer<std::uint32_t>& coordinates) {
  const device::Stream& stream = box.stream();
  const int count_bits = std::min(kSpectrumBits - box.inputs(), box.outputs());
  const Buffer<std::uint64_t> counts = zeros<std::uint64_t>(box.size() + 1, stream);
  const std::uint32_t masks = std::uint32_t{1} << box.outputs();
  const Buffer<kernels::WideFindings> findings =
      filled(std::vector<kernels::WideFindings>(masks, {0, 0, kernels::kNoWeight, 0}), stream);
  const SpectrumBatch batch(box, coordinates, count_bits);
  for (std::uint32_t first = 0; first < masks; first += std::uint32_t{1} << count_bits)
    batch.run(first, findings.data(), counts.data());
  FoundSpectra spectra{box.inputs(), {}, values_of(counts, stream)};
  spectra.counts.back() -= 1;  // W(0,0) = 2^inputs, the only one of b = 0 that is not 0
  spectra.counts[box.size() / 2] = 0;
  std::ranges::transform(values_of(findings, stream), std::back_inserter(spectra.components), findings_of);
  return spectra;
}

FoundRows wide_rows(const DeviceBox& box) {
  if (std::optional<FoundRows> found = sparse_rows(box)) return *std::move(found);
  const device::Stream& stream = box.stream();
  const Buffer<std::uint64_t> counts = zeros<std::uint64_t>(box.size() / 2 + 1, stream);
  const Buffer<std::uint32_t> scalars = filled(std::vector{0u, kernels::kNoWeight}, stream);
  RowBatches(box).for_each([&](const kernels::WideRows& rows) {
    device::launch_on(stream, "wide_differences", [&](StreamHandle handle) {
      return kernels::launch_wide_differences({rows, counts.data(), scalars.data(), scalars.data() + 1},
                                              handle);
    });
  });
  const std::vector<std::uint32_t> found = values_of(scalars, stream);
  return {values_of(counts, stream), found[0], found[1]};
}

FoundColumns wide_columns(const DeviceBox& box) {
  if (std::optional<FoundColumns> found = sparse_columns(box)) return *std::move(found);
  const device::Stream& stream = box.stream();
  const std::size_t columns = std::size_t{1} << box.outputs();
  const Buffer<std::uint32_t> largest = zeros<std::uint32_t>(columns, stream);
  const Buffer<std::uint64_t> sums = zeros<std::uint64_t>(columns, stream);
  const Buffer<std::uint32_t> structures = zeros<std::uint32_t>(columns, stream);
  const Buffer<std::uint32_t> lightest = filled(std::vector{kernels::kNoWeight}, stream);
  RowBatches(box).for_each([&](const kernels::WideRows& rows) {
    auto* const halves = reinterpret_cast<std::int32_t*>(rows.pairs);
    walsh(device::DeviceSpan<std::int32_t>{halves, (rows.last - rows.first) * columns}, box.outputs(),
          Ordering::natural, stream);
    device::launch_on(stream, "wide_columns", [&](StreamHandle handle) {
      return kernels::launch_wide_columns(
          {box.outputs(), rows.first, rows.last, static_cast<std::uint32_t>(box.size() / 2), halves,
           largest.data(), sums.data(), structures.data(), lightest.data()},
          handle);
    });
  });
  return {values_of(largest, stream), values_of(sums, stream), values_of(structures, stream),
          values_of(lightest, stream)[0]};
}

}  // namespace fugu::spectral::cuda
