// Boolean spectra on a GPU: bits in, 16-bit values between the first two passes, and a last pass that may
// gather statistics instead of writing.
#include <algorithm>
#include <string>

#include "fugu/error.hpp"
#include "fugu/spectral/cuda/detail/walsh_plan.hpp"
#include "fugu/spectral/cuda/walsh.hpp"

namespace fugu::spectral::cuda {
namespace {

using device::StreamHandle;

void check_variables(std::size_t words, int variables) {
  if (variables < 1 || variables > kMaxVariables) {
    throw Error(Errc::usage, std::to_string(variables) + " variables: 1 to " + std::to_string(kMaxVariables) +
                                 " are possible on a gpu");
  }
  if (words < ((std::size_t{1} << variables) + 31) / 32) {
    throw Error(Errc::usage, "the truth table is too short for " + std::to_string(variables) + " variables");
  }
}

void check_tiles(const device::Stream& stream) {
  if (stream.context().info().shared_bytes_per_block <
      kernels::tile_shared_bytes(kernels::kTileBits, sizeof(std::int32_t))) {
    throw Error(Errc::no_device, "Boolean spectra need a gpu with 68 KB of shared memory a block");
  }
}

struct Statistics {
  enum Scalar : std::uint8_t { max_abs, remainder, other_count, scalar_count };

  device::Buffer<std::uint32_t> counts;
  device::Buffer<std::int32_t> others;
  device::Buffer<std::uint32_t> scalars;
  kernels::SpectrumStatistics view{};
};

// The counters hold |W| up to `most`. By Parseval at most 2^2n / most^2 values lie beyond, which is the
// list's size.
Statistics make_statistics(int variables, Histogram histogram, const device::Stream& stream) {
  const int most_bits = std::min(variables, 21);
  const int step_bits = std::min(variables, 2);
  Statistics statistics;
  statistics.scalars = {stream, Statistics::scalar_count, device::Contents::open};
  device::wipe(statistics.scalars.span(), stream);
  kernels::SpectrumStatistics& view = statistics.view;
  view.max_abs = statistics.scalars.data() + Statistics::max_abs;
  view.remainder = statistics.scalars.data() + Statistics::remainder;
  view.other_count = statistics.scalars.data() + Statistics::other_count;
  if (histogram == Histogram::no) return statistics;
  view.step_bits = step_bits;
  view.half = std::int32_t{1} << (most_bits - step_bits);
  statistics.counts = {stream, 2 * static_cast<std::size_t>(view.half) + 1, device::Contents::open};
  device::wipe(statistics.counts.span(), stream);
  statistics.others = {stream, std::size_t{1} << (2 * (variables - most_bits)), device::Contents::open};
  view.counts = statistics.counts.data();
  view.others = statistics.others.data();
  view.other_capacity = static_cast<std::uint32_t>(statistics.others.size());
  return statistics;
}

template <class T>
std::vector<T> values_of(device::DeviceSpan<const T> span, const device::Stream& stream) {
  std::vector<T> values(span.size);
  device::copy_to_host(std::span(values), span, stream);
  stream.synchronize();
  return values;
}

// Only the counters up to max |W| come back.
void read_histogram(const Statistics& statistics, const std::vector<std::uint32_t>& scalars,
                    const device::Stream& stream, std::map<std::int64_t, std::uint64_t>& histogram) {
  const kernels::SpectrumStatistics& view = statistics.view;
  const auto reach =
      std::min(view.half, static_cast<std::int32_t>(scalars[Statistics::max_abs] >> view.step_bits) + 1);
  const auto counts = values_of(
      device::DeviceSpan<const std::uint32_t>(statistics.counts.span())
          .subspan(static_cast<std::size_t>(view.half - reach), 2 * static_cast<std::size_t>(reach) + 1),
      stream);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::int64_t quotient = static_cast<std::int64_t>(i) - reach;
    const std::int64_t value = quotient * (1 << view.step_bits) + scalars[Statistics::remainder];
    if (counts[i] != 0) histogram.emplace_hint(histogram.end(), value, counts[i]);
  }
  const auto others = values_of(device::DeviceSpan<const std::int32_t>(statistics.others.span())
                                    .subspan(0, scalars[Statistics::other_count]),
                                stream);
  for (const std::int32_t value : others) ++histogram[value];
}

SpectrumSummary read_statistics(const Statistics& statistics, int variables, const device::Stream& stream) {
  const auto scalars = values_of(device::DeviceSpan<const std::uint32_t>(statistics.scalars.span()), stream);
  SpectrumSummary summary;
  summary.max_abs = scalars[Statistics::max_abs];
  summary.nonlinearity = ((std::uint64_t{1} << variables) - summary.max_abs) / 2;
  if (statistics.counts.size() != 0) read_histogram(statistics, scalars, stream, summary.histogram);
  return summary;
}

// A function of more than kernels::kBooleanFirstStages variables on its way through the passes.
class Spectrum {
 public:
  Spectrum(device::DeviceSpan<const std::uint32_t> words, int variables, const device::Stream& stream)
      : words_(words),
        variables_(variables),
        passes_(plan_boolean(variables)),
        narrow_(stream, std::size_t{1} << variables, device::Contents::open),
        stream_(stream) {}

  std::size_t passes() const { return passes_.size(); }
  const kernels::WalshPass& last_pass() const { return passes_.back(); }
  kernels::WalshPass last_pass_of_statistics() const {
    const int stages = last_pass().to - last_pass().from;
    return strided_pass(kernels::kBooleanTileBits, kernels::register_bits_of(kernels::kBooleanTileBits),
                        variables_ - stages, stages);
  }
  const std::int16_t* narrow() const { return narrow_.data(); }

  void make_narrow() {
    device::launch_on(stream_, "boolean_first", [&](StreamHandle handle) {
      return kernels::launch_boolean_first(words_.data, narrow_.data(), variables_, handle);
    });
  }

  void make_wide(device::DeviceSpan<std::int32_t> wide) {
    make_narrow();
    device::launch_on(stream_, "boolean_widen", [&](StreamHandle handle) {
      return kernels::launch_boolean_widen(passes_[1], narrow_.data(), wide.data, wide.size, handle);
    });
  }

 private:
  device::DeviceSpan<const std::uint32_t> words_;
  int variables_;
  std::vector<kernels::WalshPass> passes_;
  device::Buffer<std::int16_t> narrow_;
  device::Stream stream_;
};

kernels::WalshPass only_pass(int variables) {
  return {false, kernels::kTileBits, kernels::kTileBits, kernels::kTileBits, 0, variables};
}

void gather(device::DeviceSpan<const std::uint32_t> words, int variables,
            const kernels::SpectrumStatistics& statistics, const device::Stream& stream) {
  const std::size_t values = std::size_t{1} << variables;
  if (variables <= kernels::kBooleanFirstStages) {
    return device::launch_on(stream, "boolean_only_statistics", [&](StreamHandle handle) {
      return kernels::launch_boolean_only_statistics(only_pass(variables), words.data, values, statistics,
                                                     handle);
    });
  }
  Spectrum spectrum(words, variables, stream);
  if (spectrum.passes() == 2) {
    spectrum.make_narrow();
    return device::launch_on(stream, "boolean_narrow_statistics", [&](StreamHandle handle) {
      return kernels::launch_boolean_narrow_statistics(spectrum.last_pass(), spectrum.narrow(), values,
                                                       statistics, handle);
    });
  }
  const device::Buffer<std::int32_t> wide(stream, values, device::Contents::open);
  spectrum.make_wide(wide.span());
  device::launch_on(stream, "boolean_wide_statistics", [&](StreamHandle handle) {
    return kernels::launch_boolean_wide_statistics(spectrum.last_pass_of_statistics(), wide.data(), values,
                                                   statistics, handle);
  });
}

device::Buffer<std::uint32_t> uploaded(const TruthTable& function, const device::Stream& stream) {
  const std::vector<std::uint32_t> words = packed_words(function);
  device::Buffer<std::uint32_t> there(stream, words.size(), device::Contents::open);
  device::copy_to_device(there.span(), words, stream);
  return there;
}

}  // namespace

void boolean_spectrum(device::DeviceSpan<const std::uint32_t> words, int variables,
                      device::DeviceSpan<std::int32_t> out, const device::Stream& stream) {
  check_variables(words.size, variables);
  check_tiles(stream);
  if (out.size != std::size_t{1} << variables)
    throw Error(Errc::usage, "the spectrum has 2^" + std::to_string(variables) + " values");
  if (variables <= kernels::kBooleanFirstStages) {
    return device::launch_on(stream, "boolean_only", [&](StreamHandle handle) {
      return kernels::launch_boolean_only(only_pass(variables), words.data, out.data, out.size, handle);
    });
  }
  Spectrum spectrum(words, variables, stream);
  spectrum.make_wide(out);
  if (spectrum.passes() == 2) return;
  device::launch_on(stream, "walsh_pass", [&](StreamHandle handle) {
    return kernels::launch_walsh_pass(kernels::Element::int32, spectrum.last_pass(), out.data, out.size, 0,
                                      nullptr, handle);
  });
}

SpectrumSummary summarize_spectrum(device::DeviceSpan<const std::uint32_t> words, int variables,
                                   Histogram histogram, const device::Stream& stream) {
  check_variables(words.size, variables);
  check_tiles(stream);
  const Statistics statistics = make_statistics(variables, histogram, stream);
  gather(words, variables, statistics.view, stream);
  return read_statistics(statistics, variables, stream);
}

std::vector<std::uint32_t> packed_words(const TruthTable& function) {
  std::vector<std::uint32_t> words;
  words.reserve(2 * function.words().size());
  for (const std::uint64_t word : function.words()) {
    words.push_back(static_cast<std::uint32_t>(word));
    words.push_back(static_cast<std::uint32_t>(word >> 32));
  }
  return words;
}

std::vector<std::int32_t> walsh_spectrum(const TruthTable& function, const device::Stream& stream) {
  const auto words = uploaded(function, stream);
  const device::Buffer<std::int32_t> out(stream, function.size(), device::Contents::open);
  boolean_spectrum(words.span(), function.variables(), out.span(), stream);
  return values_of(device::DeviceSpan<const std::int32_t>(out.span()), stream);
}

SpectrumSummary summarize_spectrum(const TruthTable& function, Histogram histogram,
                                   const device::Stream& stream) {
  const auto words = uploaded(function, stream);
  return summarize_spectrum(words.span(), function.variables(), histogram, stream);
}

}  // namespace fugu::spectral::cuda
