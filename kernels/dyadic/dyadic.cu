// Dyadic convolution: the fused pass, and the three kernels of the paper's Algorithm 1.
#include "kernels/dyadic/dyadic_agent.hpp"
#include "kernels/walsh/walsh_shells.cuh"

namespace fugu::kernels {
namespace {

template <class T>
struct Fused {
  using Contiguous = ContiguousPass<T, kConvolveTileBits, kConvolveRegisterBits>;
  using Strided = StridedPass<T, kConvolveTileBits, kConvolveRegisterBits>;
  using Tile = typename Contiguous::Tile;
};

// The transforms of both functions by `forward`, and their product. The values of g are loaded while f is
// transformed. With `self`, g is f, which is transformed once.
template <bool self, class T, class Tile, class Load, class Forward>
__device__ void multiply_transformed(Tile& tile, const T* f, const T* g, const Load& load,
                                     const Forward& forward) {
  load(tile, f);
  if constexpr (self) {
    forward(tile);
    multiply_tiles(tile, tile);
  } else {
    Tile other;
    load(other, g);
    forward(tile);
    forward(other);
    multiply_tiles(tile, other);
  }
}

// Nothing starts while these run: an SM split for their small blocks has room for few of the next chain's.
// Convolutions of 2^27 floats took 1630 us when it overlapped, 1608 without (H200).
template <class T, bool self>
__global__ void __launch_bounds__(Fused<T>::Tile::kThreads, convolve_blocks_per_sm(sizeof(T)))
    convolve_contiguous_kernel(T* f, const T* g, ScaledSink<T> sink, StageRange stages, std::uint64_t size) {
  using Pass = typename Fused<T>::Contiguous;
  using Tile = typename Fused<T>::Tile;
  T* shared = shared_values<T>();
  Tile tile;
  await_earlier_pass();
  const auto load = [&](Tile& one, const T* from) {
    one.load(ValueSource<T>{from}, Pass::geometry(), blockIdx.x, threadIdx.x,
             Pass::first_window(Walk::forward), size);
  };
  multiply_transformed<self>(tile, f, g, load, [&](Tile& one) {
    walk_contiguous<Pass, Walk::forward>(one, shared, stages);
    __syncthreads();
  });
  walk_contiguous<Pass, Walk::backward>(tile, shared, stages);
  tile.store(sink, Pass::geometry(), blockIdx.x, threadIdx.x, Pass::last_window(Walk::backward), size);
}

template <class T, bool self>
__global__ void __launch_bounds__(Fused<T>::Tile::kThreads, convolve_blocks_per_sm(sizeof(T)))
    convolve_strided_kernel(T* f, const T* g, ScaledSink<T> sink, TileGeometry geometry, StageRange stages,
                            std::uint64_t size) {
  using Pass = typename Fused<T>::Strided;
  using Tile = typename Fused<T>::Tile;
  T* shared = shared_values<T>();
  Tile tile;
  await_earlier_pass();
  const auto load = [&](Tile& one, const T* from) {
    one.load(LineSource<T>{from}, geometry, blockIdx.x, threadIdx.x,
             Pass::first_window(Walk::forward, geometry, stages), size);
  };
  multiply_transformed<self>(tile, f, g, load, [&](Tile& one) {
    walk_strided<Pass, Walk::forward>(one, shared, geometry, stages);
    __syncthreads();
  });
  walk_strided<Pass, Walk::backward>(tile, shared, geometry, stages);
  tile.store(sink, geometry, blockIdx.x, threadIdx.x, Pass::last_window(Walk::backward, geometry, stages),
             size);
}

template <class T, bool self>
int launch_convolve_of(const WalshPass& pass, T* f, const T* g, std::uint64_t values, int shift,
                       CUstream_st* stream) {
  constexpr std::size_t shared = tile_shared_bytes(kConvolveTileBits, sizeof(T));
  constexpr int threads = Fused<T>::Tile::kThreads;
  const std::uint64_t tiles = tiles_of(values, kConvolveTileBits);
  const StageRange stages{pass.from, pass.to};
  // 2^n divides every value of a convolution, even after overflow: nothing can be inexact.
  const ScaledSink<T> sink = scaled_sink(f, division(shift));
  if (pass.strided) {
    return launch_neighbours(neighbours_of<T>(pass, tiles), convolve_strided_kernel<T, self>, tiles, threads,
                             shared, stream, f, g, sink, TileGeometry{pass.column_bits, pass.first}, stages,
                             values);
  }
  return launch_blocks(convolve_contiguous_kernel<T, self>, tiles, threads, shared, stream, f, g, sink,
                       stages, values);
}

template <class T>
int launch_convolve_of(const WalshPass& pass, void* f, const void* g, std::uint64_t values, int shift,
                       CUstream_st* stream) {
  const auto launch = f == g ? launch_convolve_of<T, true> : launch_convolve_of<T, false>;
  return launch(pass, static_cast<T*>(f), static_cast<const T*>(g), values, shift, stream);
}

// The paper's kernels. Equations (15) and (16) give the two operands.
constexpr unsigned kPaperThreads = 256;

__global__ void dyadic_step_kernel(std::int64_t* data, std::uint64_t pairs, std::uint64_t step) {
  const std::uint64_t t = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (t >= pairs) return;
  const std::uint64_t op1 = t % step + 2 * step * (t / step);
  core::butterfly(data[op1], data[op1 + step]);
}

__global__ void dyadic_multiply_kernel(std::int64_t* f, const std::int64_t* g, std::uint64_t size) {
  const std::uint64_t t = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (t < size) f[t] = wrapped_product(f[t], g[t]);
}

__global__ void dyadic_scale_kernel(std::int64_t* f, std::uint64_t size, int shift) {
  const std::uint64_t t = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (t < size) f[t] >>= shift;
}

unsigned paper_blocks(std::uint64_t threads) {
  return static_cast<unsigned>((threads + kPaperThreads - 1) / kPaperThreads);
}

}  // namespace

int launch_convolve_pass(Element element, const WalshPass& pass, void* f, const void* g, std::uint64_t values,
                         int shift, CUstream_st* stream) {
  switch (element) {
    case Element::int64:
      return launch_convolve_of<std::int64_t>(pass, f, g, values, shift, stream);
    case Element::float32:
      return launch_convolve_of<float>(pass, f, g, values, shift, stream);
    case Element::float64:
      return launch_convolve_of<double>(pass, f, g, values, shift, stream);
    default:
      return cudaErrorInvalidValue;
  }
}

int launch_dyadic_step(std::int64_t* data, std::uint64_t size, std::uint64_t step, CUstream_st* stream) {
  if (size < 2) return cudaSuccess;
  dyadic_step_kernel<<<paper_blocks(size / 2), kPaperThreads, 0, stream>>>(data, size / 2, step);
  return cudaGetLastError();
}

int launch_dyadic_multiply(std::int64_t* f, const std::int64_t* g, std::uint64_t size, CUstream_st* stream) {
  dyadic_multiply_kernel<<<paper_blocks(size), kPaperThreads, 0, stream>>>(f, g, size);
  return cudaGetLastError();
}

int launch_dyadic_scale(std::int64_t* f, std::uint64_t size, int shift, CUstream_st* stream) {
  dyadic_scale_kernel<<<paper_blocks(size), kPaperThreads, 0, stream>>>(f, size, shift);
  return cudaGetLastError();
}

}  // namespace fugu::kernels
