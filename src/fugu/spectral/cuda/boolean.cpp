// Boolean spectra on a GPU: bits in, 16-bit values between the first two passes, and a last pass that may
// gather statistics instead of writing.
#include <bit>

#include "fugu/spectral/cuda/detail/spectrum_statistics.hpp"
#include "fugu/spectral/cuda/detail/walsh_plan.hpp"
#include "fugu/spectral/cuda/staging.hpp"
#include "fugu/spectral/detail/check_rows.hpp"

namespace fugu::spectral::cuda {
namespace {

using device::StreamHandle;

void check_variables(std::size_t words, int variables) {
  if (variables < 1 || variables > kMaxVariables) {
    throw Error(Errc::usage, std::to_string(variables) + " variables: 1 to " + std::to_string(kMaxVariables) +
                                 " are possible on a GPU");
  }
  if (words < ((std::size_t{1} << variables) + 31) / 32) {
    throw Error(Errc::usage, "the truth table is too short for " + std::to_string(variables) + " variables");
  }
}

// The passes of a function of more than kernels::kBooleanFirstStages variables.
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

  // Computes the first two of three passes.
  void make_narrow_twice(std::int16_t* out, std::uint32_t* beyond) {
    make_narrow();
    device::launch_on(stream_, "boolean_narrow", [&](StreamHandle handle) {
      return kernels::launch_boolean_narrow(passes_[1], narrow_.data(), out, beyond,
                                            std::uint64_t{1} << variables_, handle);
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

// The integers that the second of three passes writes: 16 bits, which the values of most functions fit, or
// 32.
enum class Between : std::uint8_t { narrow, wide };

void gather(device::DeviceSpan<const std::uint32_t> words, int variables, Between between,
            const kernels::SpectrumStatistics& statistics, const device::Stream& stream) {
  const std::size_t values = std::size_t{1} << variables;
  if (variables <= kernels::kBooleanFirstStages) {
    return device::launch_on(stream, "boolean_only_statistics", [&](StreamHandle handle) {
      return kernels::launch_boolean_only_statistics(only_pass(variables), words.data, values, statistics,
                                                     handle);
    });
  }
  Spectrum spectrum(words, variables, stream);
  const auto gather_narrow = [&](const kernels::WalshPass& pass, const std::int16_t* in) {
    device::launch_on(stream, "boolean_narrow_statistics", [&](StreamHandle handle) {
      return kernels::launch_boolean_narrow_statistics(pass, in, values, statistics, handle);
    });
  };
  if (spectrum.passes() == 2) {
    spectrum.make_narrow();
    return gather_narrow(spectrum.last_pass(), spectrum.narrow());
  }
  if (between == Between::narrow) {
    const device::Buffer<std::int16_t> later(stream, values, device::Contents::open);
    spectrum.make_narrow_twice(later.data(), statistics.beyond);
    return gather_narrow(spectrum.last_pass_of_statistics(), later.data());
  }
  const device::Buffer<std::int32_t> wide(stream, values, device::Contents::open);
  spectrum.make_wide(wide.span());
  device::launch_on(stream, "boolean_wide_statistics", [&](StreamHandle handle) {
    return kernels::launch_boolean_wide_statistics(spectrum.last_pass_of_statistics(), wide.data(), values,
                                                   statistics, handle);
  });
}

// Returns the first result of attempt(between) that is not null: values that pass through 16 bits may be
// lost.
template <class Attempt>
auto with_enough_bits(const Attempt& attempt) {
  if (auto found = attempt(Between::narrow)) return *std::move(found);
  return attempt(Between::wide).value();
}

std::uint64_t max_abs_of(device::DeviceSpan<const std::uint32_t> words, int variables,
                         const device::Stream& stream) {
  // Two passes lose no value, so that nothing has to be said of lost ones (kMaxVariablesForAnswer).
  const Reply reply = variables <= kernels::kMaxVariablesForAnswer ? Reply::by_last_block : Reply::by_copy;
  return with_enough_bits([&](Between between) {
    const Statistics statistics = make_scalars(reply, stream);
    gather(words, variables, between, statistics.view, stream);
    return read_largest(statistics, stream);
  });
}

std::uint64_t nonlinearity_of(std::uint64_t max_abs, int variables) {
  return ((std::uint64_t{1} << variables) - max_abs) / 2;
}

}  // namespace

void boolean_spectrum(device::DeviceSpan<const std::uint32_t> words, int variables,
                      device::DeviceSpan<std::int32_t> out, const device::Stream& stream) {
  check_variables(words.size, variables);
  check_boolean_tiles(stream.context());
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
    return kernels::launch_walsh_pass(kernels::Element::int32, spectrum.last_pass(), out.data, out.data,
                                      out.size, {}, handle);
  });
}

int algebraic_degree(device::DeviceSpan<const std::uint32_t> words, int variables,
                     const device::Stream& stream) {
  check_variables(words.size, variables);
  check_boolean_tiles(stream.context());
  const std::vector<kernels::WalshPass> passes = plan_moebius(variables);
  const std::uint64_t count = kernels::words_of(variables);
  const device::Buffer<std::uint32_t> form(stream, passes.size() == 1 ? 0 : static_cast<std::size_t>(count),
                                           device::Contents::open);
  const Statistics statistics = make_scalars(Reply::by_last_block, stream);
  const kernels::SpectrumStatistics& view = statistics.view;
  device::launch_on(stream, "moebius", [&](StreamHandle handle) {
    if (passes.size() == 1)
      return kernels::launch_degree_only(passes[0], words.data, variables, view, handle);
    int status = kernels::launch_moebius_first(passes[0], words.data, form.data(), count, handle);
    for (std::size_t pass = 1; status == 0 && pass + 1 < passes.size(); ++pass)
      status = kernels::launch_moebius_pass(passes[pass], form.data(), count, handle);
    return status != 0 ? status
                       : kernels::launch_degree_last(passes.back(), form.data(), variables, view, handle);
  });
  return static_cast<int>(read_largest(statistics, stream).value()) - 1;
}

SpectrumCounts count_spectrum(device::DeviceSpan<const std::uint32_t> words, int variables,
                              const device::Stream& stream) {
  check_variables(words.size, variables);
  check_boolean_tiles(stream.context());
  return with_enough_bits([&](Between between) {
    const Statistics statistics = make_counters(variables, stream);
    gather(words, variables, between, statistics.view, stream);
    return read_counts(statistics, stream);
  });
}

SpectrumSummary summarize_spectrum(device::DeviceSpan<const std::uint32_t> words, int variables,
                                   Counting counting, const device::Stream& stream) {
  check_variables(words.size, variables);
  check_boolean_tiles(stream.context());
  SpectrumSummary summary;
  if (counting == Counting::no) {
    summary.max_abs = max_abs_of(words, variables, stream);
  } else {
    const SpectrumCounts counts = count_spectrum(words, variables, stream);
    summary.max_abs = counts.max_abs;
    for (std::size_t i = 0; i < counts.counts.size(); ++i) {
      if (counts.counts[i] != 0)
        summary.histogram.emplace_hint(summary.histogram.end(), counts.value(i), counts.counts[i]);
    }
    for (const std::int32_t value : counts.others) ++summary.histogram[value];
  }
  summary.nonlinearity = nonlinearity_of(summary.max_abs, variables);
  return summary;
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

device::Buffer<std::uint32_t> upload(const TruthTable& function, const device::Stream& stream) {
  const std::span<const std::uint64_t> words = function.words();
  device::Buffer<std::uint32_t> on_gpu(stream, 2 * words.size(), device::Contents::open);
  if constexpr (std::endian::native == std::endian::little) {  // the same memory as the 32-bit words
    upload(device::DeviceSpan<std::uint64_t>{reinterpret_cast<std::uint64_t*>(on_gpu.data()), words.size()},
           words, stream);
  } else {
    upload<std::uint32_t>(on_gpu.span(), packed_words(function), stream);
  }
  return on_gpu;
}

void walsh_spectrum(const TruthTable& function, std::span<std::int32_t> out, const device::Stream& stream) {
  spectral::detail::require_room(function.size(), out.size());
  const auto words = upload(function, stream);
  const device::Buffer<std::int32_t> spectrum(stream, function.size(), device::Contents::open);
  boolean_spectrum(words.span(), function.variables(), spectrum.span(), stream);
  download(out, spectrum.span(), stream);
}

SpectrumSummary summarize_spectrum(const TruthTable& function, Counting counting,
                                   const device::Stream& stream) {
  const auto words = upload(function, stream);
  return summarize_spectrum(words.span(), function.variables(), counting, stream);
}

}  // namespace fugu::spectral::cuda
