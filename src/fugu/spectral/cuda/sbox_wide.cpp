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

// The results of the passes over all components, in device memory.
struct SpectraBuffers {
  explicit SpectraBuffers(const DeviceBox& box)
      : findings(filled(std::vector<kernels::ComponentFindings>(std::size_t{1} << box.outputs(),
                                                                {0, 0, kernels::kNoWeight, 0}),
                        box.stream())),
        counts(zeros<std::uint64_t>(box.size() + 1, box.stream())) {}

  FoundSpectra found(const DeviceBox& box) const {
    FoundSpectra spectra = found_spectra(box, box.inputs(), findings, counts);
    spectra.counts[box.size() / 2] = 0;
    return spectra;
  }

  Buffer<kernels::ComponentFindings> findings;
  Buffer<std::uint64_t> counts;
};

// Computes the spectra of some components at a time, by the passes for one Boolean function.
class SpectrumBatch {
 public:
  SpectrumBatch(const DeviceBox& box, const Buffer<std::uint32_t>& coordinates)
      : box_(box),
        coordinates_(coordinates),
        count_(std::uint32_t{1} << std::min(kSpectrumBits - box.inputs(), box.outputs())),
        tables_(box.stream(), words() * count_, Contents::open),
        narrow_(box.stream(), box.size() * count_, Contents::open) {}

  std::uint32_t count() const { return count_; }

  // The components from `first` on, which is a multiple of count().
  void run(std::uint32_t first, const SpectraBuffers& found) const {
    const kernels::WideComponents components{.outputs = box_.outputs(),
                                             .words = static_cast<std::uint32_t>(words()),
                                             .coordinates = coordinates_.data(),
                                             .first = first,
                                             .count = count_,
                                             .out = tables_.data()};
    const kernels::WideSpectra spectra{.inputs = box_.inputs(),
                                       .narrow = narrow_.data(),
                                       .first = first,
                                       .count = count_,
                                       .findings = found.findings.data() + first,
                                       .counts = found.counts.data()};
    device::launch_on(box_.stream(), "wide_components", [&](StreamHandle handle) {
      return kernels::launch_wide_components(components, handle);
    });
    // The first stages treat many functions as one function of more variables.
    device::launch_on(box_.stream(), "boolean_first", [&](StreamHandle handle) {
      return kernels::launch_boolean_first(tables_.data(), narrow_.data(),
                                           box_.inputs() + std::countr_zero(count_), handle);
    });
    device::launch_on(box_.stream(), "wide_spectra",
                      [&](StreamHandle handle) { return kernels::launch_wide_spectra(spectra, handle); });
  }

 private:
  std::size_t words() const { return box_.size() / 32; }

  const DeviceBox& box_;
  const Buffer<std::uint32_t>& coordinates_;
  std::uint32_t count_;
  Buffer<std::uint32_t> tables_;
  Buffer<std::int16_t> narrow_;
};

// Counts the rows, as many as fit at a time.
class RowBatches {
 public:
  RowBatches(const DeviceBox& box, const std::stop_token& stop)
      : box_(box),
        stop_(stop),
        most_(std::uint32_t{1} << std::min({kRowBits - box.outputs(), kMaxRowsBits, box.inputs()})),
        pairs_(zeros<std::uint32_t>(std::size_t{most_} << box.outputs(), box.stream())) {}

  // Calls take(rows) for all rows a != 0, some at a time, after they are counted; take sets them to 0.
  template <class Take>
  void for_each(Take take) const {
    const auto size = static_cast<std::uint32_t>(box_.size());
    Batches batches(box_.stream(), stop_);
    for (std::uint32_t first = 1; first < size; first += most_) {
      batches.next();
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

void add_differences(const kernels::WideRows& rows, const RowBuffers& found, const device::Stream& stream) {
  device::launch_on(stream, "wide_differences", [&](StreamHandle handle) {
    return kernels::launch_wide_differences({rows, found.counts(), found.largest_zero(), found.lightest()},
                                            handle);
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
  const SpectraBuffers spectra(box);
  const SpectrumBatch batch(box, coordinates);
  Batches batches(box.stream(), stop);
  for (std::uint32_t first = 0; first >> box.outputs() == 0; first += batch.count()) {
    batches.next();
    batch.run(first, spectra);
  }
  FoundSpectra found = spectra.found(box);
  found.counts.back() -= 1;  // W(0,0) = 2^inputs, the only nonzero W(a,0)
  return found;
}

FoundTables wide_tables(const DeviceBox& box, const std::stop_token& stop) {
  const device::Stream& stream = box.stream();
  const RowBuffers found_rows(box.size() / 2 + 1, stream);
  const ColumnBuffers found_columns(std::size_t{1} << box.outputs(), stream);
  RowBatches(box, stop).for_each([&](const kernels::WideRows& rows) {
    add_differences(rows, found_rows, stream);
    add_columns(rows, found_columns, stream);
  });
  return {found_rows.found(stream), found_columns.found(stream)};
}

}  // namespace fugu::spectral::cuda
