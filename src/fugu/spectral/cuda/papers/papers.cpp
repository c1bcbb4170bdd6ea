#include "fugu/spectral/cuda/papers/papers.hpp"

#include <bit>

#include "fugu/error.hpp"
#include "fugu/spectral/groups/characters.hpp"
#include "fugu/spectral/walsh.hpp"
#include "kernels/spectral_launch.hpp"

namespace fugu::spectral::cuda {
namespace {

using kernels::PaperStep;
using Launcher = int (*)(const PaperStep&, CUstream_st*);

struct Sizes {
  int smallest;
  int largest;
};

// Indices are 32-bit in the paper's grid; 5 and 6 transpose blocks of 1024 once, 6 shuffles whole warps.
Sizes sizes_of(int algorithm) {
  if (algorithm == 5) return {0, 20};
  if (algorithm == 6) return {5, 20};
  return {0, 30};
}

void check(int algorithm, std::uint64_t size, std::uint64_t other, const PaperOptions& options) {
  if (algorithm < 1 || algorithm > 6) {
    throw Error(Errc::usage,
                "there is no parallel algorithm " + std::to_string(algorithm) + "; choose 1 to 6");
  }
  const int n = log2_exact(size);
  const Sizes sizes = sizes_of(algorithm);
  if (n < sizes.smallest || n > sizes.largest) {
    throw Error(Errc::usage, "algorithm " + std::to_string(algorithm) + " takes 2^" +
                                 std::to_string(sizes.smallest) + " to 2^" + std::to_string(sizes.largest) +
                                 " values, not 2^" + std::to_string(n));
  }
  if (algorithm <= 4 && other < size) throw Error(Errc::usage, "algorithms 1 to 4 need a second array");
  if (!std::has_single_bit(options.threads) || options.threads > 1024 ||
      !std::has_single_bit(options.values_per_thread)) {
    throw Error(Errc::usage, "threads per block (at most 1024) and values per thread are powers of two");
  }
  if (algorithm == 3 && options.values_per_thread > size) {
    throw Error(Errc::usage, "algorithm 3: more values per thread than there are values");
  }
}

template <Launcher launcher>
void launch(const PaperStep& step, const device::Stream& stream) {
  device::launch_on(stream, "paper_walsh",
                    [&](device::StreamHandle handle) { return launcher(step, handle); });
}

// One launch per step, from distance j on. Odd steps read `spectrum`. Returns the number of the last step.
template <Launcher launcher>
int global_steps(PaperStep step, const device::Stream& stream) {
  for (; step.distance < step.size; step.distance *= 2) {
    ++step.step;
    launch<launcher>(step, stream);
  }
  return step.step;
}

template <Launcher launcher>
void all_global(const PaperStep& step, device::DeviceSpan<std::int32_t> spectrum,
                device::DeviceSpan<std::int32_t> other, const device::Stream& stream) {
  if (global_steps<launcher>(step, stream) % 2 == 1) {
    device::copy_on_device(spectrum, other.subspan(0, spectrum.size), stream);
  }
}

}  // namespace

void paper_walsh(int algorithm, device::DeviceSpan<std::int32_t> spectrum,
                 device::DeviceSpan<std::int32_t> other, const PaperOptions& options,
                 const device::Stream& stream) {
  check(algorithm, spectrum.size, other.size, options);
  PaperStep step{spectrum.data, other.data, spectrum.size, 0, 1, options.values_per_thread, options.threads};
  if (algorithm == 1) return all_global<kernels::launch_fwt_kernel>(step, spectrum, other, stream);
  if (algorithm == 2) return all_global<kernels::launch_fwt_kernel_no_if>(step, spectrum, other, stream);
  if (algorithm == 3) return all_global<kernels::launch_fwt_kernel_m>(step, spectrum, other, stream);
  step.threads = 1024;  // the transposition of 5 and 6 uses blocks of 1024
  if (algorithm == 6) {
    launch<kernels::launch_fwt_kernel_shfl_xor_sm>(step, stream);
    if (step.size > 1024) launch<kernels::launch_fwt_kernel_shfl_xor_sm_mp>(step, stream);
    return;
  }
  launch<kernels::launch_fwt_kernel_sm>(step, stream);
  if (algorithm == 5) {
    if (step.size > 1024) launch<kernels::launch_fwt_kernel_sm_mp>(step, stream);
    return;
  }
  step.step = 10;
  step.distance = 1024;
  all_global<kernels::launch_fwt_kernel>(step, spectrum, other, stream);
}

void paper_convolve(device::DeviceSpan<std::int64_t> f, device::DeviceSpan<std::int64_t> g,
                    const device::Stream& stream) {
  if (f.size != g.size) throw Error(Errc::usage, "the functions must have the same length");
  const int n = log2_exact(f.size);
  const auto run = [&](auto launch) { device::launch_on(stream, "paper_convolve", launch); };
  const auto transform = [&](device::DeviceSpan<std::int64_t> data) {
    for (std::uint64_t step = 1; step < data.size; step *= 2) {
      run([&](auto handle) { return kernels::launch_dyadic_step(data.data, data.size, step, handle); });
    }
  };
  transform(f);
  if (f.data != g.data) transform(g);
  run([&](auto handle) { return kernels::launch_dyadic_multiply(f.data, g.data, f.size, handle); });
  transform(f);
  run([&](auto handle) { return kernels::launch_dyadic_scale(f.data, f.size, n, handle); });
}

device::DeviceSpan<std::complex<float>> paper_characters(std::uint32_t p, int m,
                                                         device::DeviceSpan<std::complex<float>> first,
                                                         device::DeviceSpan<std::complex<float>> second,
                                                         const device::Stream& stream) {
  if (p < 1 || p > kernels::kMaxKroneckerOrder || m < 1) {
    throw Error(Errc::usage, "the Kronecker construction takes p from 1 to 64 and m of 1 or more");
  }
  std::uint64_t side = 1;
  for (int i = 0; i < m; ++i) {
    side *= p;
    if (side >= std::uint64_t{1} << 31) throw Error(Errc::usage, "the table has more than 2^31 rows");
  }
  if (first.size < side * side || second.size < side * side) {
    throw Error(Errc::usage, "both buffers need " + std::to_string(side * side) + " values");
  }
  const std::uint32_t order[] = {p};
  const CharacterGroup cyclic{order};
  std::vector<std::complex<float>> table(std::size_t{p} * p);
  character_table(cyclic, whole_table(cyclic), std::span(table));
  const device::Buffer<std::complex<float>> cyclic_table(stream, table.size(), device::Contents::open);
  device::copy_to_device(cyclic_table.span(), table, stream);
  device::copy_on_device(first.subspan(0, table.size()), cyclic_table.span(), stream);
  stream.synchronize();
  std::uint32_t done = p;
  for (int k = 1; k < m; ++k) {
    device::launch_on(stream, "kronecker_step", [&](device::StreamHandle handle) {
      return kernels::launch_kronecker_step(reinterpret_cast<const float*>(cyclic_table.data()),
                                            reinterpret_cast<const float*>(first.data),
                                            reinterpret_cast<float*>(second.data), p, done, handle);
    });
    std::swap(first, second);
    done *= p;
  }
  return first.subspan(0, static_cast<std::size_t>(side * side));
}

}  // namespace fugu::spectral::cuda
