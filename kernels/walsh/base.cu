// The Hadamard transform of rows of m 2^k values, out of place or in place.
#include "kernels/walsh/base_agent.hpp"
#include "kernels/walsh/walsh_shells.cuh"

namespace fugu::kernels {
namespace {

// Bounds that allow 80 registers up to 20 rows, so that three blocks fit a multiprocessor, and 128 beyond.
constexpr int base_threads(int m) {
  return m <= 20 ? 768 : 512;
}

template <class Source, class Sink, int m, bool transposed>
__global__ void __launch_bounds__(base_threads(m), 1)
    base_kernel(Source source, Sink sink, int thread_bits, int pair_bits, std::uint64_t count) {
  using Rows = BaseRows<m, transposed>;
  Pair* const shared = shared_values<Pair>();
  const std::uint64_t start = std::uint64_t{blockIdx.x} * Rows::pairs(thread_bits);
  wait_for_earlier_pass();
  Rows::mix(source, start, count, shared, threadIdx.x, pair_bits);
  __syncthreads();
  for (unsigned item = threadIdx.x; item < Rows::items(thread_bits); item += blockDim.x)
    Rows::transform_low(shared, item, pair_bits);
  __syncthreads();
  for (unsigned item = threadIdx.x; item < Rows::items(thread_bits); item += blockDim.x)
    Rows::transform_high(sink, start, count, shared, item, pair_bits);
}

struct Launch {
  int log2_size;
  std::uint64_t count;  // pairs
  CUstream_st* stream;

  template <int m, bool transposed, class Source, class Sink>
  int run(const Source& source, const Sink& sink) const {
    const int thread_bits = base_thread_bits(log2_size);
    const std::uint64_t of_block = std::uint64_t{m} << thread_bits;
    return launch_blocks(base_kernel<Source, Sink, m, transposed>, (count + of_block - 1) / of_block,
                         1 << thread_bits, base_row_bytes(m, log2_size), stream, source, sink, thread_bits,
                         log2_size - 1, count);
  }

  template <class Source, class Sink>
  int run(int m, bool transposed, const Source& source, const Sink& sink) const {
    if (m == 12) return run<12, false>(source, sink);  // symmetric
    if (m == 20) return transposed ? run<20, true>(source, sink) : run<20, false>(source, sink);
    if (m == 28) return transposed ? run<28, true>(source, sink) : run<28, false>(source, sink);
    if (m == 40) return transposed ? run<40, true>(source, sink) : run<40, false>(source, sink);
    return cudaErrorInvalidValue;
  }
};

}  // namespace

int launch_hadamard_rows(Element type, const HadamardRows& rows, const void* in, void* out,
                         std::uint64_t values, float factor, CUstream_st* stream) {
  const Launch launch{rows.log2_size, values / 2, stream};
  const auto run = [&](const auto& source, const auto& sink) {
    return launch.run(rows.m, rows.transposed, source, sink);
  };
  const auto* const words = static_cast<const std::uint32_t*>(in);
  auto* const to = static_cast<std::uint32_t*>(out);
  switch (type) {
    case Element::float16:
      return run(HalfSource<core::Float16>{words}, HalfSink<core::Float16>{to, factor});
    case Element::bfloat16:
      return run(HalfSource<core::Bfloat16>{words}, HalfSink<core::Bfloat16>{to, factor});
    case Element::float32:
      return run(FloatSource{static_cast<const TwoFloats*>(in)},
                 FloatSink{static_cast<TwoFloats*>(out), factor});
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace fugu::kernels
