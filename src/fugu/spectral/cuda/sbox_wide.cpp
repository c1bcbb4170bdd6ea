// Tables of boxes of more than 16 inputs or outputs on a GPU. A launch processes as many components or rows
// as the second-level cache holds.
#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <utility>

#include "fugu/spectral/cuda/detail/box_tables.hpp"
#include "fugu/spectral/cuda/detail/parts.hpp"
#include "fugu/spectral/cuda/detail/table_buffers.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "kernels/sbox/sbox_launch.hpp"
#include "kernels/spectral_launch.hpp"

namespace fugu::spectral::cuda {
namespace {

using device::Buffer;
using device::Contents;
using device::StreamHandle;

constexpr int kTableBits = 31;           // 2^31 points of truth tables at a time: 256 MiB
constexpr int kSpectrumBits = 24;        // 2^24 16-bit values of components at a time: 32 MiB
constexpr int kRowBits = 23;             // 2^23 32-bit values of rows at a time: 32 MiB
constexpr int kMostRowsBits = 12;        // at most 2^12 rows at a time
constexpr unsigned kTablesQueued = 16;   // parts of some milliseconds each
constexpr unsigned kBatchesQueued = 64;  // parts of less than a millisecond each

// Consecutive truth tables of as many components as fit 2^bits points.
class ComponentTables {
 public:
  ComponentTables(const DeviceBox& box, const Buffer<std::uint32_t>& coordinates, int bits)
      : box_(box),
        coordinates_(coordinates),
        count_(std::uint32_t{1} << std::min(bits - box.inputs(), box.outputs())),
        words_(box.size() / 32),
        tables_(box.stream(), words_ * count_, Contents::open) {}

  std::uint32_t count() const { return count_; }
  // Returns the table of component first + i, with `first` of the last make().
  const std::uint32_t* table(std::uint32_t i) const { return tables_.data() + words_ * i; }

  // Computes the tables of the components from `first` on, which is a multiple of count().
  void make(std::uint32_t first) const {
    device::launch_on(box_.stream(), "wide_components", [&](StreamHandle handle) {
      return kernels::launch_wide_components({.outputs = box_.outputs(),
                                              .words = static_cast<std::uint32_t>(words_),
                                              .coordinates = coordinates_.data(),
                                              .first = first,
                                              .count = count_,
                                              .out = tables_.data()},
                                             handle);
    });
  }

 private:
  const DeviceBox& box_;
  const Buffer<std::uint32_t>& coordinates_;
  std::uint32_t count_;
  std::size_t words_;
  Buffer<std::uint32_t> tables_;
};

// The results of the passes over all components, in device memory.
struct SpectraBuffers {
  explicit SpectraBuffers(const DeviceBox& box)
      : findings(filled(std::vector<kernels::WideFindings>(std::size_t{1} << box.outputs(),
                                                           {0, 0, kernels::kNoWeight, 0}),
                        box.stream())),
        counts(zeros<std::uint64_t>(box.size() + 1, box.stream())) {}

  FoundSpectra found(const DeviceBox& box) const {
    FoundSpectra spectra = found_spectra(box, box.inputs(), findings, counts);
    spectra.counts[box.size() / 2] = 0;
    return spectra;
  }

  Buffer<kernels::WideFindings> findings;
  Buffer<std::uint64_t> counts;
};

// Returns whether the squares of all values satisfy Parseval's equation.
bool keeps_parseval(const DeviceBox& box, std::span<const std::uint64_t> counts) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto half = static_cast<std::int64_t>(i) - static_cast<std::int64_t>(box.size() / 2);
    sum += counts[i] * static_cast<std::uint64_t>(half * half);
  }
  return sum == ((std::uint64_t{1} << box.outputs()) - 1) * (box.size() / 2) * (box.size() / 2);
}

// Computes the spectra in one pass if all W fit 16 bits; otherwise returns nothing.
std::optional<FoundSpectra> near_spectra(const DeviceBox& box, const Buffer<std::uint32_t>& coordinates,
                                         const std::stop_token& stop) {
  const device::Stream& stream = box.stream();
  if (stream.context().info().shared_bytes_per_block < kernels::kComponentRowsBytes) return std::nullopt;
  const ComponentTables tables(box, coordinates, kTableBits);
  const SpectraBuffers spectra(box);
  const Buffer<std::uint32_t> inexact = zeros<std::uint32_t>(1, stream);
  Parts parts(stream, stop, kTablesQueued);
  for (std::uint32_t first = 0; first >> box.outputs() == 0; first += tables.count()) {
    parts.next();
    const std::uint32_t left_out = first == 0 ? 1 : 0;  // component b = 0
    tables.make(first);
    device::launch_on(stream, "component_rows", [&](StreamHandle handle) {
      return kernels::launch_component_rows({.inputs = box.inputs(),
                                             .tables = tables.table(left_out),
                                             .count = tables.count() - left_out,
                                             .findings = spectra.findings.data() + first + left_out,
                                             .counts = spectra.counts.data(),
                                             .inexact = inexact.data()},
                                            handle);
    });
    if (first == 0 && values_of(inexact, stream)[0] != 0) return std::nullopt;
  }
  FoundSpectra found = spectra.found(box);
  if (values_of(inexact, stream)[0] != 0 || !keeps_parseval(box, found.counts)) return std::nullopt;
  return found;
}

// Computes the spectra of some components at a time, by the passes for one Boolean function.
class SpectrumBatch {
 public:
  SpectrumBatch(const DeviceBox& box, const Buffer<std::uint32_t>& coordinates)
      : box_(box),
        tables_(box, coordinates, kSpectrumBits),
        narrow_(box.stream(), box.size() * tables_.count(), Contents::open) {}

  std::uint32_t count() const { return tables_.count(); }

  void run(std::uint32_t first, const SpectraBuffers& found) const {
    const kernels::WideSpectra spectra{.inputs = box_.inputs(),
                                       .narrow = narrow_.data(),
                                       .first = first,
                                       .count = count(),
                                       .findings = found.findings.data() + first,
                                       .counts = found.counts.data()};
    tables_.make(first);
    // The first stages treat many functions as one function of more variables.
    device::launch_on(box_.stream(), "boolean_first", [&](StreamHandle handle) {
      return kernels::launch_boolean_first(tables_.table(0), narrow_.data(),
                                           box_.inputs() + std::countr_zero(count()), nullptr, handle);
    });
    device::launch_on(box_.stream(), "wide_spectra",
                      [&](StreamHandle handle) { return kernels::launch_wide_spectra(spectra, handle); });
  }

 private:
  const DeviceBox& box_;
  ComponentTables tables_;
  Buffer<std::int16_t> narrow_;
};

// Counts the rows, as many as fit at a time.
class RowBatches {
 public:
  RowBatches(const DeviceBox& box, const std::stop_token& stop)
      : box_(box),
        stop_(stop),
        most_(std::uint32_t{1} << std::min({kRowBits - box.outputs(), kMostRowsBits, box.inputs()})),
        pairs_(zeros<std::uint32_t>(std::size_t{most_} << box.outputs(), box.stream())) {}

  // Calls take(rows) for all rows a != 0, some at a time, after they are counted; take sets them to 0.
  template <class Take>
  void for_each(Take take) const {
    const auto size = static_cast<std::uint32_t>(box_.size());
    Parts parts(box_.stream(), stop_, kBatchesQueued);
    for (std::uint32_t first = 1; first < size; first += most_) {
      parts.next();
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
  const std::stop_token& stop_;
  std::uint32_t most_;
  Buffer<std::uint32_t> pairs_;
};

void add_differences(const kernels::WideRows& rows, bool keep, const RowBuffers& found,
                     const device::Stream& stream) {
  device::launch_on(stream, "wide_differences", [&](StreamHandle handle) {
    return kernels::launch_wide_differences(
        {rows, keep, found.counts(), found.largest_zero(), found.lightest()}, handle);
  });
}

// Transforms the rows in place.
void add_columns(const kernels::WideRows& rows, const ColumnBuffers& found, const device::Stream& stream) {
  auto* const halves = reinterpret_cast<std::int32_t*>(rows.pairs);
  const std::size_t values = std::size_t{rows.last - rows.first} << rows.outputs;
  walsh(device::DeviceSpan<std::int32_t>{halves, values}, rows.outputs, Ordering::natural, stream);
  device::launch_on(stream, "wide_columns", [&](StreamHandle handle) {
    return kernels::launch_wide_columns(
        {rows.outputs, rows.first, rows.last, std::uint32_t{1} << (rows.inputs - 1), halves, found.largest(),
         found.sums(), found.structures(), found.lightest()},
        handle);
  });
}

}  // namespace

FoundSpectra wide_spectra(const DeviceBox& box, const Buffer<std::uint32_t>& coordinates,
                          const std::stop_token& stop) {
  if (std::optional<FoundSpectra> found = near_spectra(box, coordinates, stop)) return *std::move(found);
  const SpectraBuffers spectra(box);
  const SpectrumBatch batch(box, coordinates);
  Parts parts(box.stream(), stop, kBatchesQueued);
  for (std::uint32_t first = 0; first >> box.outputs() == 0; first += batch.count()) {
    parts.next();
    batch.run(first, spectra);
  }
  FoundSpectra found = spectra.found(box);
  found.counts.back() -= 1;  // W(0,0) = 2^inputs, the only nonzero W(a,0)
  return found;
}

FoundRows wide_rows(const DeviceBox& box, const std::stop_token& stop) {
  const device::Stream& stream = box.stream();
  const RowBuffers found(box.size() / 2 + 1, stream);
  RowBatches(box, stop).for_each(
      [&](const kernels::WideRows& rows) { add_differences(rows, false, found, stream); });
  return found.found(stream);
}

FoundTables wide_tables(const DeviceBox& box, const std::stop_token& stop) {
  const device::Stream& stream = box.stream();
  const RowBuffers found_rows(box.size() / 2 + 1, stream);
  const ColumnBuffers found_columns(std::size_t{1} << box.outputs(), stream);
  RowBatches(box, stop).for_each([&](const kernels::WideRows& rows) {
    add_differences(rows, true, found_rows, stream);
    add_columns(rows, found_columns, stream);
  });
  return {found_rows.found(stream), found_columns.found(stream)};
}

}  // namespace fugu::spectral::cuda
