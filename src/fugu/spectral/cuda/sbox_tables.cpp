// Tables of a box on a GPU, a block for each component or row: the tables are never stored, and what a block
// finds is put together here.
#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <string>

#include "fugu/error.hpp"
#include "fugu/spectral/cuda/sbox.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "kernels/sbox/sbox_launch.hpp"

namespace fugu::spectral::cuda {
namespace {

using device::Buffer;
using device::Contents;
using device::StreamHandle;

// Rows of |r| / 2 that lie on the device at a time, in values.
constexpr std::uint64_t kRowValues = std::uint64_t{1} << 28;

void check_bits(const SBox& box, int most_outputs, const char* what) {
  if (box.inputs() <= kMaxTableInputs && box.outputs() <= most_outputs) return;
  throw Error(Errc::usage, std::string(what) + " on a gpu: of at most " + std::to_string(kMaxTableInputs) +
                               " inputs and " + std::to_string(most_outputs) + " outputs");
}

template <class T>
Buffer<T> filled(const std::vector<T>& values, const device::Stream& stream) {
  Buffer<T> buffer(stream, values.size(), Contents::open);
  device::copy_to_device(buffer.span(), values, stream);
  stream.synchronize();
  return buffer;
}

template <class T>
Buffer<T> zeros(std::size_t count, const device::Stream& stream) {
  Buffer<T> buffer(stream, count, Contents::open);
  device::wipe(buffer.span(), stream);
  return buffer;
}

template <class T>
std::vector<T> values_of(const Buffer<T>& buffer, const device::Stream& stream) {
  std::vector<T> values(buffer.size());
  device::copy_to_host(std::span(values), device::DeviceSpan<const T>(buffer.span()), stream);
  stream.synchronize();
  return values;
}

// Of the box that takes 2^bits inputs and does not depend on the higher ones.
std::vector<std::uint32_t> coordinate_words(const SBox& box, int bits) {
  const std::size_t words = std::size_t{1} << (bits - 5);
  std::vector<std::uint32_t> result(words * static_cast<std::size_t>(box.outputs()));
  for (std::size_t x = 0; x < 32 * words; ++x) {
    for (std::uint32_t value = box[x % box.size()]; value != 0; value &= value - 1) {
      result[static_cast<std::size_t>(std::countr_zero(value)) * words + x / 32] |= std::uint32_t{1}
                                                                                    << (x % 32);
    }
  }
  return result;
}

// W(2^i, 2^j) = 0 where y_j equals x_i for half of all x.
std::uint64_t one_bit_walsh(const SBox& box) {
  std::vector<std::size_t> equal(static_cast<std::size_t>(box.inputs() * box.outputs()));
  for (std::uint32_t x = 0; x < box.size(); ++x) {
    auto* count = equal.data();
    for (int i = 0; i < box.inputs(); ++i) {
      for (int j = 0; j < box.outputs(); ++j) *count++ += (x >> i & 1) == (box[x] >> j & 1) ? 1u : 0u;
    }
  }
  return static_cast<std::uint64_t>(
      std::ranges::count_if(equal, [&](std::size_t count) { return 2 * count != box.size(); }));
}

// In runs of a, which the compiler can make vectors of.
std::uint64_t one_bit_differences(const SBox& box) {
  const std::span<const std::uint32_t> s = box.values();
  std::uint64_t count = 0;
  for (std::size_t a = 1; a < s.size(); a *= 2) {
    std::uint32_t reached = 0;
    for (std::size_t run = 0; run < s.size(); run += 2 * a) {
      for (std::size_t x = run; x < run + a; ++x) {
        const std::uint32_t b = s[x] ^ s[x + a];
        reached |= (b & (b - 1)) == 0 ? b : 0;
      }
    }
    count += static_cast<std::uint64_t>(std::popcount(reached));
  }
  return count;
}

// `counts` of values `step` apart, the first being `first`; `total` says how many zeros there are besides.
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

LinearComponent component_of(const SBox& box, const kernels::ComponentFindings& found, std::uint32_t scale) {
  LinearComponent component;
  component.largest = found.largest / scale;
  component.balanced = found.balanced != 0;
  const int weight =
      found.lightest == kernels::kNoWeight ? box.inputs() + 1 : static_cast<int>(found.lightest);
  component.correlation_immunity = static_cast<std::int8_t>(weight - 1);
  // Parseval: the squares sum up to N^2.
  component.plateaued = std::uint64_t{found.nonzero} * component.largest * component.largest ==
                        std::uint64_t{box.size()} * box.size();
  return component;
}

void add_component(const SBox& box, std::uint32_t b, const kernels::ComponentFindings& found,
                   Linear& result) {
  const LinearComponent& component = result.components[b];
  result.plateaued += component.plateaued ? 1u : 0u;
  result.bent +=
      box.size() > 2 && std::uint64_t{component.largest} * component.largest == box.size() ? 1u : 0u;
  if (found.lightest != kernels::kNoWeight) {
    const int sum = static_cast<int>(found.lightest) + std::popcount(b);
    result.branch_number = std::min(result.branch_number.value_or(sum), sum);
  }
  const std::uint32_t a = found.first / 2;
  if (component.largest < result.linearity || (component.largest == result.linearity && a >= result.first_a))
    return;
  result.linearity = component.largest;
  result.first_a = a;
  result.first_b = b;
  const auto value = static_cast<std::int32_t>(component.largest);
  result.first_value = found.first % 2 == 0 ? value : -value;
}

std::vector<std::uint16_t> narrow_values(const SBox& box) {
  return {box.values().begin(), box.values().end()};
}

}  // namespace

Linear linear(const SBox& box, const device::Stream& stream) {
  check_bits(box, kMaxOutputsOfAll, "the spectra of all components");
  const int bits = kernels::block_bits(box.inputs());
  const std::uint32_t scale = std::uint32_t{1} << (bits - box.inputs());
  const std::uint32_t masks = std::uint32_t{1} << box.outputs();
  const Buffer<std::uint32_t> coordinates = filled(coordinate_words(box, bits), stream);
  const Buffer<kernels::ComponentFindings> findings(stream, masks, Contents::open);
  const Buffer<std::uint64_t> counts = zeros<std::uint64_t>((std::size_t{1} << bits) + 1, stream);
  device::launch_on(stream, "component_spectra", [&](StreamHandle handle) {
    return kernels::launch_component_spectra(
        {bits, coordinates.data(), 0, masks, findings.data(), counts.data()}, handle);
  });
  const std::vector<std::uint64_t> counted = values_of(counts, stream);
  const std::vector<kernels::ComponentFindings> found = values_of(findings, stream);
  Linear result;
  result.walsh = histogram_of(counted, -(std::int64_t{1} << bits), 2, scale, (masks - 1) * box.size());
  result.components.resize(masks);
  for (std::uint32_t b = 1; b < masks; ++b) {
    result.components[b] = component_of(box, found[b], scale);
    add_component(box, b, found[b], result);
  }
  result.one_bit_to_one = one_bit_walsh(box);
  complete(box, result);
  return result;
}

Differential differential(const SBox& box, const device::Stream& stream) {
  check_bits(box, kMaxRowOutputs, "the difference distribution table");
  const Buffer<std::uint16_t> values = filled(narrow_values(box), stream);
  const Buffer<std::uint64_t> counts = zeros<std::uint64_t>(box.size() / 2 + 1, stream);
  const Buffer<std::uint32_t> scalars = filled<std::uint32_t>({0, kernels::kNoWeight}, stream);
  device::launch_on(stream, "difference_rows", [&](StreamHandle handle) {
    return kernels::launch_difference_rows(
        {box.inputs(), box.outputs(), values.data(), 1, static_cast<std::uint32_t>(box.size()), counts.data(),
         scalars.data(), scalars.data() + 1},
        handle);
  });
  const std::vector<std::uint64_t> counted = values_of(counts, stream);
  const std::vector<std::uint32_t> found = values_of(scalars, stream);
  Differential result;
  result.ddt = histogram_of(counted, 0, 2, 1, (box.size() - 1) << box.outputs());
  const auto& [largest, attained] = *result.ddt.rbegin();
  result.uniformity = static_cast<std::uint32_t>(largest);
  result.attained = attained;
  result.largest_zero = found[0];
  result.apn = result.uniformity == 2 && box.inputs() == box.outputs();
  result.branch_number = static_cast<int>(found[1]);
  result.one_bit_to_one = one_bit_differences(box);
  return result;
}

Autocorrelation autocorrelation(const SBox& box, const device::Stream& stream) {
  check_bits(box, kMaxRowOutputs, "the autocorrelation of all components");
  const int bits = kernels::block_bits(box.outputs());
  const std::size_t columns = std::size_t{1} << bits;
  const auto size = static_cast<std::uint32_t>(box.size());
  const auto most = static_cast<std::uint32_t>(std::min<std::uint64_t>(kRowValues >> bits, size));
  const Buffer<std::uint16_t> values = filled(narrow_values(box), stream);
  const Buffer<std::uint16_t> magnitudes(stream, most * columns, Contents::open);
  const Buffer<std::uint32_t> largest = zeros<std::uint32_t>(columns, stream);
  const Buffer<std::uint64_t> sums = zeros<std::uint64_t>(columns, stream);
  const Buffer<std::uint32_t> structures = zeros<std::uint32_t>(columns, stream);
  const Buffer<std::uint32_t> lightest = filled<std::uint32_t>({kernels::kNoWeight}, stream);
  for (std::uint32_t first = 1; first < size; first += most) {
    const std::uint32_t last = std::min(first + most, size);
    device::launch_on(stream, "autocorrelation_rows", [&](StreamHandle handle) {
      return kernels::launch_autocorrelation_rows(
          {box.inputs(), box.outputs(), values.data(), first, last, magnitudes.data(), lightest.data()},
          handle);
    });
    device::launch_on(stream, "autocorrelation_columns", [&](StreamHandle handle) {
      return kernels::launch_autocorrelation_columns(
          {bits, last - first, size / 2, magnitudes.data(), largest.data(), sums.data(), structures.data()},
          handle);
    });
  }
  Autocorrelation result;
  result.indicators = values_of(largest, stream);
  result.sums = values_of(sums, stream);
  const std::vector<std::uint32_t> counted = values_of(structures, stream);
  const std::size_t used = std::size_t{1} << box.outputs();
  result.indicators.resize(used);
  result.sums.resize(used);
  result.structures.assign(counted.begin(), counted.begin() + static_cast<std::ptrdiff_t>(used));
  for (std::uint32_t& indicator : result.indicators) indicator *= 2;
  for (std::uint64_t& sum : result.sums) sum = 4 * sum + std::uint64_t{size} * size;  // r(0,b)^2 besides
  result.indicator = std::ranges::max(std::span(result.indicators).subspan(1));
  result.propagation = std::min(box.inputs(), static_cast<int>(values_of(lightest, stream)[0]) - 1);
  return result;
}

std::vector<std::int8_t> component_degrees(const SBox& box, const device::Stream& stream) {
  if (box.outputs() > kMaxOutputsOfAll) {
    throw Error(Errc::usage, "all components of " + std::to_string(box.outputs()) + " outputs: at most " +
                                 std::to_string(kMaxOutputsOfAll) + " outputs are possible");
  }
  const std::size_t words = std::max<std::size_t>(1, box.size() / 32);
  std::vector<std::uint32_t> forms;
  for (int j = 0; j < box.outputs(); ++j) {
    const std::vector<std::uint32_t> form =
        packed_words(moebius(component(box, std::uint32_t{1} << j), {.threads = 1}));
    forms.insert(forms.end(), form.begin(), form.begin() + static_cast<std::ptrdiff_t>(words));
  }
  std::vector<std::uint32_t> order(words);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, std::greater(), [](std::uint32_t index) { return std::popcount(index); });
  const Buffer<std::uint32_t> there = filled(forms, stream);
  const Buffer<std::uint32_t> order_there = filled(order, stream);
  const Buffer<std::int8_t> degrees(stream, std::size_t{1} << box.outputs(), Contents::open);
  device::launch_on(stream, "component_degrees", [&](StreamHandle handle) {
    return kernels::launch_component_degrees(
        {box.outputs(), static_cast<std::uint32_t>(words), there.data(), order_there.data(), degrees.data()},
        handle);
  });
  return values_of(degrees, stream);
}

std::vector<SmallBoxSummary> summarize_boxes(int inputs, int outputs, std::span<const std::uint8_t> values,
                                             const device::Stream& stream) {
  if (inputs < 1 || inputs > kMaxSmallBits || outputs < 1 || outputs > kMaxSmallBits ||
      values.size() % (std::size_t{1} << inputs) != 0) {
    throw Error(Errc::usage, "many boxes on a gpu: of at most " + std::to_string(kMaxSmallBits) +
                                 " inputs and outputs, and whole");
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
  const Buffer<std::uint8_t> there(stream, whole.size(), Contents::open);
  device::copy_to_device(there.span(), whole, stream);
  const Buffer<std::uint16_t> linearities(stream, boxes, Contents::open);
  const Buffer<std::uint16_t> uniformities(stream, boxes, Contents::open);
  const Buffer<std::int8_t> degrees(stream, boxes, Contents::open);
  device::launch_on(stream, "small_boxes", [&](StreamHandle handle) {
    return kernels::launch_small_boxes(
        {inputs, outputs, boxes, there.data(), linearities.data(), uniformities.data(), degrees.data()},
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
