// Boolean spectra on a GPU: bits in, 16-bit values between the first two passes, and a last pass that may
// gather statistics instead of writing.
#include <algorithm>
#include <string>

#include "fugu/error.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/cuda/walsh_plan.hpp"

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

// The Boolean kernels come in one tile size only.
std::vector<kernels::WalshPass> boolean_passes(int variables, const Queue& queue) {
  constexpr int kTile = kernels::kTileBits;
  constexpr int kMostRows = 10;
  static_assert(kTile == kernels::kBooleanFirstStages);
  if (queue.context.info().shared_bytes_per_block < kernels::tile_shared_bytes(kTile, sizeof(std::int32_t))) {
    throw Error(Errc::no_device, "Boolean spectra need a gpu with 68 KB of shared memory a block");
  }
  std::vector<kernels::WalshPass> passes{{false, kTile, kTile, kTile, 0, std::min(variables, kTile)}};
  int left = (std::max(variables - kTile, 0) + kMostRows - 1) / kMostRows;
  for (int first = kTile; left > 0; --left) {
    const int stages = (variables - first + left - 1) / left;
    passes.push_back(strided_pass(kTile, kernels::register_bits_of(kTile), first, stages));
    first += stages;
  }
  return passes;
}

struct Statistics {
  device::Buffer<std::uint32_t> counts;
  device::Buffer<std::int32_t> others;
  device::Buffer<std::uint32_t> scalars;  // max_abs, other_count
  kernels::SpectrumStatistics view{};
};

// The counters hold |W| up to 2 half. By Parseval at most 2^2n / (2 half)^2 values lie beyond, which is the
// list's size.
Statistics make_statistics(int variables, Histogram histogram, device::Stream& stream) {
  const std::int32_t half = std::int32_t{1} << std::min(variables - 1, 20);
  Statistics statistics;
  statistics.scalars = {stream, 2, device::Contents::open};
  device::wipe(statistics.scalars.span(), stream);
  statistics.view = {statistics.scalars.data(), nullptr, half, nullptr, statistics.scalars.data() + 1, 0};
  if (histogram == Histogram::no) return statistics;
  statistics.counts = {stream, 2 * static_cast<std::size_t>(half) + 1, device::Contents::open};
  device::wipe(statistics.counts.span(), stream);
  statistics.others = {stream, std::size_t{1} << std::max(0, 2 * variables - 42), device::Contents::open};
  statistics.view.counts = statistics.counts.data();
  statistics.view.others = statistics.others.data();
  statistics.view.other_capacity = static_cast<std::uint32_t>(statistics.others.size());
  return statistics;
}

SpectrumSummary read_statistics(const Statistics& statistics, int variables, device::Stream& stream) {
  std::uint32_t scalars[2];
  std::vector<std::uint32_t> counts(statistics.counts.size());
  std::vector<std::int32_t> others(statistics.others.size());
  device::copy_to_host(std::span<std::uint32_t>(scalars), statistics.scalars.span(), stream);
  if (!counts.empty()) {
    device::copy_to_host(std::span(counts), statistics.counts.span(), stream);
    device::copy_to_host(std::span(others), statistics.others.span(), stream);
  }
  stream.synchronize();
  SpectrumSummary summary;
  summary.max_abs = scalars[0];
  summary.nonlinearity = ((std::uint64_t{1} << variables) - summary.max_abs) / 2;
  if (counts.empty()) return summary;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0)
      summary.histogram[2 * (static_cast<std::int64_t>(i) - statistics.view.half)] = counts[i];
  }
  for (std::uint32_t i = 0; i < scalars[1]; ++i) ++summary.histogram[others[i]];
  return summary;
}

// The passes of a function of more than 14 variables up to the last; `wide` is used when there are three.
struct Passes {
  std::vector<kernels::WalshPass> passes;
  std::uint64_t values;
  int variables;

  void first(device::DeviceSpan<const std::uint32_t> words, std::int16_t* narrow,
             device::Stream& stream) const {
    device::launch_on(stream, "boolean_first", [&](StreamHandle handle) {
      return kernels::launch_boolean_first(words.data, narrow, variables, handle);
    });
  }
  void widen(const std::int16_t* narrow, std::int32_t* wide, device::Stream& stream) const {
    device::launch_on(stream, "boolean_widen", [&](StreamHandle handle) {
      return kernels::launch_boolean_widen(passes[1], narrow, wide, values, handle);
    });
  }
};

}  // namespace

void boolean_spectrum(device::DeviceSpan<const std::uint32_t> words, int variables,
                      device::DeviceSpan<std::int32_t> out, const Queue& queue) {
  check_variables(words.size, variables);
  const Passes work{boolean_passes(variables, queue), std::uint64_t{1} << variables, variables};
  if (out.size != work.values)
    throw Error(Errc::usage, "the spectrum has " + std::to_string(work.values) + " values");
  if (work.passes.size() == 1) {
    return device::launch_on(queue.stream, "boolean_only", [&](StreamHandle handle) {
      return kernels::launch_boolean_only(work.passes[0], words.data, out.data, work.values, handle);
    });
  }
  device::Buffer<std::int16_t> narrow(queue.stream, work.values, device::Contents::open);
  work.first(words, narrow.data(), queue.stream);
  work.widen(narrow.data(), out.data, queue.stream);
  if (work.passes.size() == 2) return;
  device::launch_on(queue.stream, "walsh_pass", [&](StreamHandle handle) {
    return kernels::launch_walsh_pass(kernels::Element::int32, work.passes[2], out.data, work.values, 0,
                                      nullptr, handle);
  });
}

SpectrumSummary summarize_spectrum(device::DeviceSpan<const std::uint32_t> words, int variables,
                                   Histogram histogram, const Queue& queue) {
  check_variables(words.size, variables);
  const Passes work{boolean_passes(variables, queue), std::uint64_t{1} << variables, variables};
  const Statistics statistics = make_statistics(variables, histogram, queue.stream);
  const auto& last = work.passes.back();
  if (work.passes.size() == 1) {
    device::launch_on(queue.stream, "boolean_only_statistics", [&](StreamHandle handle) {
      return kernels::launch_boolean_only_statistics(last, words.data, work.values, statistics.view, handle);
    });
    return read_statistics(statistics, variables, queue.stream);
  }
  device::Buffer<std::int16_t> narrow(queue.stream, work.values, device::Contents::open);
  work.first(words, narrow.data(), queue.stream);
  if (work.passes.size() == 2) {
    device::launch_on(queue.stream, "boolean_narrow_statistics", [&](StreamHandle handle) {
      return kernels::launch_boolean_narrow_statistics(last, narrow.data(), work.values, statistics.view,
                                                       handle);
    });
    return read_statistics(statistics, variables, queue.stream);
  }
  device::Buffer<std::int32_t> wide(queue.stream, work.values, device::Contents::open);
  work.widen(narrow.data(), wide.data(), queue.stream);
  device::launch_on(queue.stream, "boolean_wide_statistics", [&](StreamHandle handle) {
    return kernels::launch_boolean_wide_statistics(last, wide.data(), work.values, statistics.view, handle);
  });
  return read_statistics(statistics, variables, queue.stream);
}

SpectrumSummary summarize_spectrum(const TruthTable& function, Histogram histogram, const Queue& queue) {
  std::vector<std::uint32_t> words;
  words.reserve(2 * function.words().size());
  for (const std::uint64_t word : function.words()) {
    words.push_back(static_cast<std::uint32_t>(word));
    words.push_back(static_cast<std::uint32_t>(word >> 32));
  }
  device::Buffer<std::uint32_t> there(queue.stream, words.size(), device::Contents::open);
  device::copy_to_device(there.span(), words, queue.stream);
  return summarize_spectrum(there.span(), function.variables(), histogram, queue);
}

}  // namespace fugu::spectral::cuda
