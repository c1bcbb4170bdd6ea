// Tables of boxes of more than 16 inputs or outputs on a GPU. A launch processes as many components or rows
// as the second-level cache holds.
#include <bit>

#include "fugu/spectral/cuda/detail/box_tables.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "kernels/spectral_launch.hpp"

namespace fugu::spectral::cuda {
namespace {

using device::Buffer;
using device::Contents;
using device::StreamHandle;

constexpr int kSpectrumBits = 24;  // 2^24 16-bit values of components at a time: 32 MiB
constexpr int kRowBits = 23;       // 2^23 32-bit values of rows at a time: 32 MiB
constexpr int kMaxRowsBits = 12;   // at most 2^12 rows at a time
static_assert(kMaxInputs <= kSpectrumBits && kMaxOutputsOfAll <= kRowBits, "one component, or row, fits");

// Splits a call into batches of less than a millisecond each, between which it can be stopped.
class Batches {
 public:
  Batches(const device::Stream& stream, const std::stop_token& stop) : stream_(stream), stop_(stop) {}

  // Call before each batch is queued. Throws Error{interrupted} when a stop was requested.
  void next() {
    constexpr unsigned kMaxQueued = 64;
    if (++queued_ % kMaxQueued == 0) stream_.synchronize();
    if (stop_.stop_requested()) throw Error(Errc::interrupted, "interrupted");
  }

 private:
  const device::Stream& stream_;
  const std::stop_token& stop_;
  unsigned queued_ = 0;
};

void add_differences(const kernels::WideRows& rows, const RowBuffers& found, const device::Stream& stream) {
  device::launch_on(stream, "wide_differences", [&](StreamHandle handle) {
    return kernels::launch_wide_differences(
        {rows, found.counts.data(), found.largest_zero(), found.lightest()}, handle);
  });
}

// Transforms the rows in place.
void add_columns(const kernels::WideRows& rows, const ColumnBuffers& found, const device::Stream& stream) {
  auto* const halves = reinterpret_cast<std::int32_t*>(rows.pairs);
  const std::size_t values = std::size_t{rows.last - rows.first} << rows.outputs;
  walsh(device::DeviceSpan<std::int32_t>{halves, values}, rows.outputs, Ordering::natural, stream);
  device::launch_on(stream, "wide_columns", [&](StreamHandle handle) {
    return kernels::launch_wide_columns(
        {rows.outputs, rows.first, rows.last, std::uint32_t{1} << (rows.inputs - 1), halves,
         found.largest.data(), found.sums.data(), found.structures.data(), found.lightest.data()},
        handle);
  });
}

}  // namespace

// The spectra of some components at a time, by the passes for one Boolean function.
FoundSpectra wide_spectra(const DeviceBox& box, const Buffer<std::uint32_t>& coordinates,
                          const std::stop_token& stop) {
  const device::Stream& stream = box.stream();
  const std::size_t words = box.size() / 32;
  const std::uint32_t count = std::uint32_t{1} << std::min(kSpectrumBits - box.inputs(), box.outputs());
  const auto findings = filled(
      std::vector<kernels::ComponentFindings>(std::size_t{1} << box.outputs(), {0, 0, kernels::kNoWeight, 0}),
      stream);
  const auto counts = zeros<std::uint64_t>(box.size() + 1, stream);
  const Buffer<std::uint32_t> tables(stream, words * count, Contents::open);
  const Buffer<std::int16_t> narrow(stream, box.size() * count, Contents::open);
  Batches batches(stream, stop);
  for (std::uint32_t first = 0; first >> box.outputs() == 0; first += count) {
    batches.next();
    device::launch_on(stream, "wide_components", [&](StreamHandle handle) {
      return kernels::launch_wide_components({.outputs = box.outputs(),
                                              .words = static_cast<std::uint32_t>(words),
                                              .coordinates = coordinates.data(),
                                              .first = first,
                                              .count = count,
                                              .out = tables.data()},
                                             handle);
    });
    // The first stages treat many functions as one function of more variables.
    device::launch_on(stream, "boolean_first", [&](StreamHandle handle) {
      return kernels::launch_boolean_first(tables.data(), narrow.data(),
                                           box.inputs() + std::countr_zero(count), handle);
    });
    device::launch_on(stream, "wide_spectra", [&](StreamHandle handle) {
      return kernels::launch_wide_spectra({.inputs = box.inputs(),
                                           .narrow = narrow.data(),
                                           .first = first,
                                           .count = count,
                                           .findings = findings.data() + first,
                                           .counts = counts.data()},
                                          handle);
    });
  }
  FoundSpectra found = found_spectra(box, box.inputs(), findings, counts);
  found.counts[box.size() / 2] = 0;
  found.counts.back() -= 1;  // W(0,0) = 2^inputs, the only nonzero W(a,0)
  return found;
}

// The rows are counted as many at a time as fit; add_columns() sets them to 0.
FoundTables wide_tables(const DeviceBox& box, const std::stop_token& stop) {
  const device::Stream& stream = box.stream();
  const auto size = static_cast<std::uint32_t>(box.size());
  const std::uint32_t most = std::uint32_t{1}
                             << std::min({kRowBits - box.outputs(), kMaxRowsBits, box.inputs()});
  const auto pairs = zeros<std::uint32_t>(std::size_t{most} << box.outputs(), stream);
  const RowBuffers found_rows(box.size() / 2 + 1, stream);
  const ColumnBuffers found_columns(std::size_t{1} << box.outputs(), stream);
  Batches batches(stream, stop);
  for (std::uint32_t first = 1; first < size; first += most) {
    batches.next();
    const kernels::WideRows rows{.inputs = box.inputs(),
                                 .outputs = box.outputs(),
                                 .values = box.values().data,
                                 .first = first,
                                 .last = std::min(first + most, size),
                                 .pairs = pairs.data()};
    device::launch_on(stream, "wide_rows",
                      [&](StreamHandle handle) { return kernels::launch_wide_rows(rows, handle); });
    add_differences(rows, found_rows, stream);
    add_columns(rows, found_columns, stream);
  }
  return {found_rows.found(stream), found_columns.found(stream)};
}

}  // namespace fugu::spectral::cuda
