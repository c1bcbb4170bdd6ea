// Tables of a box on a GPU. The tables are never stored: results are assembled here from the kernels'
// findings. Up to 16 inputs and outputs, a block computes a component or a row.
#include <array>
#include <bit>
#include <numeric>

#include "fugu/spectral/cuda/detail/box_tables.hpp"
#include "fugu/spectral/cuda/detail/walsh_plan.hpp"
#include "fugu/spectral/cuda/sbox.hpp"
#include "fugu/spectral/cuda/walsh.hpp"

namespace fugu::spectral::cuda {
namespace {

using device::Buffer;
using device::Contents;
using device::StreamHandle;

// The number of values |r| / 2 in the rows that are on the device at a time.
constexpr std::uint64_t kRowValues = std::uint64_t{1} << 30;

void check(const DeviceBox& box, const char* what, const std::stop_token& stop = {}) {
  if (stop.stop_requested()) throw Error(Errc::interrupted, "interrupted");
  if (has_table_kernels(box.outputs())) return;
  throw Error(Errc::usage, std::string(what) + " of " + std::to_string(box.outputs()) + " outputs: at most " +
                               std::to_string(kMaxOutputsOfAll) + " outputs are possible");
}

// Returns the number of (i, j) with W(2^i, 2^j) != 0. It is 0 if y_j = x_i for half of all x.
std::uint64_t one_bit_walsh(const DeviceBox& box, const Buffer<std::uint32_t>& coordinates) {
  const auto pairs = static_cast<std::size_t>(box.inputs() * box.outputs());
  const auto words = static_cast<std::uint32_t>(coordinates.size() / static_cast<std::size_t>(box.outputs()));
  const Buffer<std::uint32_t> counts = zeros<std::uint32_t>(pairs, box.stream());
  device::launch_on(box.stream(), "one_bit_agreements", [&](StreamHandle handle) {
    return kernels::launch_one_bit_agreements(
        {coordinates.data(), words, box.inputs(), box.outputs(), counts.data()}, handle);
  });
  const std::uint32_t half = 16 * words;
  return pairs - static_cast<std::uint64_t>(std::ranges::count(values_of(counts, box.stream()), half));
}

std::uint64_t one_bit_differences(const DeviceBox& box) {
  const Buffer<std::uint32_t> reached =
      zeros<std::uint32_t>(static_cast<std::size_t>(box.inputs()), box.stream());
  device::launch_on(box.stream(), "one_bit_differences", [&](StreamHandle handle) {
    return kernels::launch_one_bit_differences(
        {box.values().data, static_cast<std::uint32_t>(box.size()), box.inputs(), reached.data()}, handle);
  });
  std::uint64_t count = 0;
  for (const std::uint32_t outputs : values_of(reached, box.stream()))
    count += static_cast<std::uint64_t>(std::popcount(outputs));
  return count;
}

void take_components(const DeviceBox& box, const FoundSpectra& found, Linear& result) {
  // max |W| of bent components, 2^(inputs / 2); 0 if there can be none.
  const std::uint32_t bent =
      box.size() > 2 && box.inputs() % 2 == 0 ? std::uint32_t{1} << (box.inputs() / 2) : 0;
  result.components.resize(found.components.size());
  for (std::size_t b = 1; b < found.components.size(); ++b) {
    const kernels::ComponentSummary& summary = found.components[b];
    result.components[b] = {summary.largest, summary.correlation_immunity, summary.balanced != 0,
                            summary.plateaued != 0};
    result.plateaued += summary.plateaued;
    result.bent += summary.largest == bent ? 1u : 0u;
  }
  if (found.branch != kernels::kNoWeight) result.branch_number = static_cast<int>(found.branch);
  const kernels::Peak peak = kernels::peak_at(found.peak);
  result.linearity = peak.largest;
  result.first_a = peak.a;
  result.first_b = peak.b;
  const auto value = static_cast<std::int32_t>(peak.largest);
  result.first_value = peak.negative ? -value : value;
}

FoundSpectra block_spectra(const DeviceBox& box, int bits, const Buffer<std::uint32_t>& coordinates) {
  const std::uint32_t masks = std::uint32_t{1} << box.outputs();
  const Buffer<kernels::ComponentFindings> findings(box.stream(), masks, Contents::open);
  const Buffer<std::uint64_t> counts = zeros<std::uint64_t>((std::size_t{1} << bits) + 1, box.stream());
  device::launch_on(box.stream(), "component_spectra", [&](StreamHandle handle) {
    return kernels::launch_component_spectra(
        {bits, coordinates.data(), 1, masks, findings.data(), counts.data()}, handle);
  });
  FoundSpectra found = found_spectra(box, bits, findings, counts);
  found.counts[std::size_t{1} << (bits - 1)] = 0;
  return found;
}

// Returns whether a row's pairs are counted in a block's shared memory, two counters per word.
bool has_narrow_rows(const DeviceBox& box) {
  return box.inputs() <= kernels::kMaxBlockBits && box.outputs() <= kernels::kMaxBlockBits;
}

FoundTables block_tables(const DeviceBox& box) {
  const device::Stream& stream = box.stream();
  const int bits = kernels::block_bits(box.outputs());
  const std::size_t columns = std::size_t{1} << bits;
  const auto size = static_cast<std::uint32_t>(box.size());
  const auto most = static_cast<std::uint32_t>(std::min<std::uint64_t>(kRowValues >> bits, size));
  const Buffer<std::uint16_t> values = box.narrow_values();
  const Buffer<std::uint32_t> magnitudes(stream, most * columns / 2, Contents::open);
  const RowBuffers found_rows(box.size() / 2 + 1, stream);
  const ColumnBuffers found_columns(columns, stream);
  kernels::DifferenceRows rows{box.inputs(),
                               box.outputs(),
                               values.data(),
                               1,
                               size,
                               found_rows.counts.data(),
                               found_rows.largest_zero(),
                               found_rows.lightest()};
  for (rows.first = 1; rows.first < size; rows.first = rows.last) {
    rows.last = std::min(rows.first + most, size);
    device::launch_on(stream, "autocorrelation_rows", [&](StreamHandle handle) {
      return kernels::launch_autocorrelation_rows({rows, magnitudes.data(), found_columns.lightest.data()},
                                                  handle);
    });
    device::launch_on(stream, "autocorrelation_columns", [&](StreamHandle handle) {
      return kernels::launch_autocorrelation_columns(
          {bits, rows.last - rows.first, size / 2, magnitudes.data(), found_columns.largest.data(),
           found_columns.sums.data(), found_columns.structures.data()},
          handle);
    });
  }
  return {found_rows.found(stream), found_columns.found(stream)};
}

Differential differential_of(const DeviceBox& box, const FoundRows& found) {
  Differential result;
  result.ddt = histogram_of(found.counts, 0, 2, 1, (box.size() - 1) << box.outputs());
  const auto& [largest, attained] = *result.ddt.rbegin();
  result.uniformity = static_cast<std::uint32_t>(largest);
  result.attained = attained;
  result.largest_zero = found.largest_zero;
  result.apn = result.uniformity == 2 && box.inputs() == box.outputs();
  result.branch_number = static_cast<int>(found.lightest);
  result.one_bit_to_one = one_bit_differences(box);
  return result;
}

Autocorrelation autocorrelation_of(const DeviceBox& box, const FoundColumns& found) {
  const std::size_t used = std::size_t{1} << box.outputs();
  const std::uint64_t whole = std::uint64_t{box.size()} * box.size();  // r(0,b)^2
  Autocorrelation result;
  result.indicators.resize(used);
  result.sums.resize(used);
  for (std::size_t b = 0; b < used; ++b) {
    result.indicators[b] = 2 * found.largest[b];
    result.sums[b] = 4 * found.sums[b] + whole;
  }
  result.structures.assign(found.structures.begin(),
                           found.structures.begin() + static_cast<std::ptrdiff_t>(used));
  result.indicator = std::ranges::max(std::span(result.indicators).subspan(1));
  result.propagation = std::min(box.inputs(), static_cast<int>(found.lightest) - 1);
  return result;
}

// Returns the algebraic normal forms of consecutive packed truth tables of `bits` variables.
Buffer<std::uint32_t> forms_of(const Buffer<std::uint32_t>& tables, int bits, const device::Stream& stream) {
  check_boolean_tiles(stream.context());
  const std::vector<kernels::WalshPass> passes = plan_moebius(bits);
  Buffer<std::uint32_t> forms(stream, tables.size(), Contents::open);
  device::launch_on(stream, "moebius", [&](StreamHandle handle) {
    int status = kernels::launch_moebius_first(passes[0], tables.data(), forms.data(), forms.size(), handle);
    for (std::size_t pass = 1; status == 0 && pass < passes.size(); ++pass)
      status = kernels::launch_moebius_pass(passes[pass], forms.data(), forms.size(), handle);
    return status;
  });
  return forms;
}

// Returns the indices of words in descending order of weight.
std::vector<std::uint32_t> by_weight(std::uint32_t words) {
  const auto lightness = [](std::uint32_t index) { return static_cast<std::size_t>(std::popcount(~index)); };
  std::array<std::uint32_t, 34> place{};  // the place of the next index, for each lightness
  for (std::uint32_t index = 0; index < words; ++index) ++place[lightness(index) + 1];
  std::partial_sum(place.begin(), place.end(), place.begin());
  std::vector<std::uint32_t> order(words);
  for (std::uint32_t index = 0; index < words; ++index) order[place[lightness(index)]++] = index;
  return order;
}

}  // namespace

spectral::Histogram histogram_of(std::span<const std::uint64_t> counts, std::int64_t first, std::int64_t step,
                                 std::int64_t divisor, std::uint64_t total) {
  spectral::Histogram histogram;
  std::uint64_t counted = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    counted += counts[i];
    histogram[(first + static_cast<std::int64_t>(i) * step) / divisor] += counts[i];
  }
  if (counted != total) histogram[0] += total - counted;
  return histogram;
}

Linear linear(const DeviceBox& box, const std::stop_token& stop) {
  check(box, "the spectra of all components", stop);
  const bool wide = box.inputs() > kernels::kMaxBlockBits;
  const int bits = wide ? box.inputs() : kernels::block_bits(box.inputs());
  const Buffer<std::uint32_t> coordinates = box.coordinate_words(bits, box.outputs());
  const FoundSpectra found =
      wide ? wide_spectra(box, coordinates, stop) : block_spectra(box, bits, coordinates);
  const std::uint32_t scale = std::uint32_t{1} << (bits - box.inputs());
  const std::uint32_t masks = std::uint32_t{1} << box.outputs();
  Linear result;
  result.walsh = histogram_of(found.counts, -(std::int64_t{1} << bits), 2, scale, (masks - 1) * box.size());
  take_components(box, found, result);
  result.one_bit_to_one = one_bit_walsh(box, coordinates);
  complete(box.inputs(), box.outputs(), result);
  return result;
}

DifferenceTables difference_tables(const DeviceBox& box, const std::stop_token& stop) {
  check(box, "the autocorrelation of all components", stop);
  const FoundTables found = has_narrow_rows(box) ? block_tables(box) : wide_tables(box, stop);
  return {differential_of(box, found.rows), autocorrelation_of(box, found.columns)};
}

std::vector<std::int8_t> component_degrees(const DeviceBox& box) {
  check(box, "all components");
  const device::Stream& stream = box.stream();
  const int bits = std::max(box.inputs(), 5);
  const Buffer<std::uint32_t> forms = forms_of(box.coordinate_words(bits, box.outputs()), bits, stream);
  const std::uint32_t words = std::uint32_t{1} << (bits - 5);
  const Buffer<std::uint32_t> order = filled(by_weight(words), stream);
  const Buffer<std::int8_t> degrees(stream, std::size_t{1} << box.outputs(), Contents::open);
  device::launch_on(stream, "component_degrees", [&](StreamHandle handle) {
    return kernels::launch_component_degrees(
        {box.outputs(), words, forms.data(), order.data(), degrees.data()}, handle);
  });
  return values_of(degrees, stream);
}

double transparency_order(const DeviceBox& box) {
  static_assert(kernels::kMaxTransparencyOutputs == kMaxTransparencyOutputs);
  if (!has_transparency_kernels(box.outputs()))
    throw Error(Errc::usage,
                "the transparency order of " + std::to_string(box.outputs()) + " outputs on a GPU");
  const device::Stream& stream = box.stream();
  const auto size = static_cast<std::uint32_t>(box.size());
  const Buffer<std::int64_t> r(stream, static_cast<std::size_t>(box.outputs()) * size, Contents::open);
  device::launch_on(stream, "coordinate_signs", [&](StreamHandle handle) {
    return kernels::launch_coordinate_signs({box.outputs(), size, box.values().data, r.data()}, handle);
  });
  for (int j = 0; j < box.outputs(); ++j) {
    const device::DeviceSpan<std::int64_t> coordinate =
        r.span().subspan(static_cast<std::size_t>(j) * size, size);
    dyadic_convolve(coordinate, coordinate, stream);
  }
  // beta and its complement have the same sum.
  const Buffer<std::uint64_t> totals = zeros<std::uint64_t>(std::size_t{1} << (box.outputs() - 1), stream);
  device::launch_on(stream, "transparency_totals", [&](StreamHandle handle) {
    return kernels::launch_transparency_totals({box.outputs(), size, r.data(), totals.data()}, handle);
  });
  const std::vector<std::uint64_t> found = values_of(totals, stream);
  double largest = -kMaxOutputs;
  for (std::uint32_t beta = 0; beta < found.size(); ++beta)
    largest = std::max(largest, transparency_of(box.size(), box.outputs(), beta, found[beta]));
  return largest;
}

std::vector<SmallBoxSummary> summarize_boxes(int inputs, int outputs, std::span<const std::uint8_t> values,
                                             const device::Stream& stream) {
  if (inputs < 1 || inputs > kMaxSmallBits || outputs < 1 || outputs > kMaxSmallBits ||
      values.size() % (std::size_t{1} << inputs) != 0) {
    throw Error(Errc::usage, "many boxes on a GPU: only whole ones of at most " +
                                 std::to_string(kMaxSmallBits) + " inputs and outputs");
  }
  const std::size_t size = std::size_t{1} << inputs;
  const std::size_t copies =
      (std::size_t{1} << kMaxSmallBits) / size;  // a larger box ignores the other inputs
  std::vector<std::uint8_t> repeated;
  for (std::size_t box = 0; copies > 1 && box < values.size(); box += size) {
    for (std::size_t i = 0; i < copies; ++i)
      repeated.insert(repeated.end(), values.begin() + static_cast<std::ptrdiff_t>(box),
                      values.begin() + static_cast<std::ptrdiff_t>(box + size));
  }
  const std::span<const std::uint8_t> whole = copies > 1 ? std::span<const std::uint8_t>(repeated) : values;
  const std::size_t boxes = values.size() / size;
  if (boxes == 0) return {};
  const Buffer<std::uint8_t> on_gpu(stream, whole.size(), Contents::open);
  device::copy_to_device(on_gpu.span(), whole, stream);
  const Buffer<std::uint16_t> linearities(stream, boxes, Contents::open);
  const Buffer<std::uint16_t> uniformities(stream, boxes, Contents::open);
  const Buffer<std::int8_t> degrees(stream, boxes, Contents::open);
  device::launch_on(stream, "small_boxes", [&](StreamHandle handle) {
    return kernels::launch_small_boxes(
        {inputs, outputs, boxes, on_gpu.data(), linearities.data(), uniformities.data(), degrees.data()},
        handle);
  });
  const std::vector<std::uint16_t> linearity = values_of(linearities, stream);
  const std::vector<std::uint16_t> uniformity = values_of(uniformities, stream);
  const std::vector<std::int8_t> degree = values_of(degrees, stream);
  std::vector<SmallBoxSummary> summaries(boxes);
  for (std::size_t box = 0; box < boxes; ++box) {
    summaries[box] = {.linearity = static_cast<std::uint16_t>(linearity[box] / copies),
                      .uniformity = static_cast<std::uint16_t>(uniformity[box] / copies),
                      .degree = degree[box]};
  }
  return summaries;
}

}  // namespace fugu::spectral::cuda
