// Dyadic convolution: the fused pass, and the three kernels of the paper's Algorithm 1.
#include "kernels/dyadic_agent.hpp"
#include "kernels/spectral_launch.hpp"

namespace fugu::kernels {
namespace {

extern __shared__ __align__(16) unsigned char shared_bytes[];

template <class T>
struct Fused {
  static constexpr int kTileBits = convolve_tile_bits(sizeof(T));
  static constexpr int kRegisterBits = convolve_register_bits(sizeof(T));
  using Contiguous = ContiguousPass<T, kTileBits, kRegisterBits>;
  using Strided = StridedPass<T, kTileBits, kRegisterBits>;
  using Tile = typename Contiguous::Tile;
};

template <class T, int phase>
__device__ void contiguous_forward(typename Fused<T>::Tile& tile, T* shared, StageRange stages) {
  if constexpr (phase < Fused<T>::Contiguous::kPhases) {
    Fused<T>::Contiguous::template forward<phase>(tile, shared, threadIdx.x, stages);
    __syncthreads();
    contiguous_forward<T, phase + 1>(tile, shared, stages);
  }
}

template <class T, int phase>
__device__ void contiguous_backward(typename Fused<T>::Tile& tile, T* shared, StageRange stages) {
  if constexpr (phase < Fused<T>::Contiguous::kPhases) {
    Fused<T>::Contiguous::template backward<phase>(tile, shared, threadIdx.x, stages);
    __syncthreads();
    contiguous_backward<T, phase + 1>(tile, shared, stages);
  }
}

template <class T>
__global__ void __launch_bounds__(Fused<T>::Tile::kThreads, 2)
    convolve_contiguous_kernel(T* f, const T* g, ScaledSink<T> sink, StageRange stages, std::uint64_t size) {
  using Pass = typename Fused<T>::Contiguous;
  T* shared = reinterpret_cast<T*>(shared_bytes);
  typename Fused<T>::Tile tile;
  tile.load(ValueSource<T>{f}, Pass::geometry(), blockIdx.x, threadIdx.x, Pass::first_window(), size);
  contiguous_forward<T, 0>(tile, shared, stages);
  if (f == g) {
    multiply_tiles(tile, tile);
  } else {
    typename Fused<T>::Tile other;
    other.load(ValueSource<T>{g}, Pass::geometry(), blockIdx.x, threadIdx.x, Pass::first_window(), size);
    contiguous_forward<T, 0>(other, shared, stages);
    multiply_tiles(tile, other);
  }
  contiguous_backward<T, 0>(tile, shared, stages);
  tile.store(sink, Pass::geometry(), blockIdx.x, threadIdx.x, Pass::first_window(), size);
}

template <class T>
__global__ void __launch_bounds__(Fused<T>::Tile::kThreads, 2)
    convolve_strided_kernel(T* f, const T* g, ScaledSink<T> sink, TileGeometry geometry, StageRange stages,
                            std::uint64_t size) {
  using Pass = typename Fused<T>::Strided;
  T* shared = reinterpret_cast<T*>(shared_bytes);
  typename Fused<T>::Tile tile;
  const auto forward = [&](typename Fused<T>::Tile& one, const T* from) {
    one.load(ValueSource<T>{from}, geometry, blockIdx.x, threadIdx.x, Pass::first_window(), size);
    Pass::template forward<0>(one, shared, threadIdx.x, geometry, stages);
    __syncthreads();
    Pass::template forward<1>(one, shared, threadIdx.x, geometry, stages);
    __syncthreads();
  };
  forward(tile, f);
  if (f == g) {
    multiply_tiles(tile, tile);
  } else {
    typename Fused<T>::Tile other;
    forward(other, g);
    multiply_tiles(tile, other);
  }
  Pass::template backward<0>(tile, shared, threadIdx.x, geometry, stages);
  __syncthreads();
  Pass::template backward<1>(tile, shared, threadIdx.x, geometry, stages);
  tile.store(sink, geometry, blockIdx.x, threadIdx.x, Pass::first_window(), size);
}

template <class T>
int launch_convolve_of(const WalshPass& pass, void* f, const void* g, std::uint64_t values, int shift,
                       CUstream_st* stream) {
  constexpr int kTileBits = Fused<T>::kTileBits;
  const std::size_t shared = tile_shared_bytes(kTileBits, sizeof(T));
  const std::uint64_t blocks = (values + (std::uint64_t{1} << kTileBits) - 1) >> kTileBits;
  if (blocks == 0) return cudaSuccess;
  if (blocks > 0x7fffffffu) return cudaErrorInvalidConfiguration;
  const auto grid = static_cast<unsigned>(blocks);
  const int threads = Fused<T>::Tile::kThreads;
  const StageRange stages{pass.from, pass.to};
  T* data = static_cast<T*>(f);
  const T* other = static_cast<const T*>(g);
  const ScaledSink<T> sink{data, shift, static_cast<T>(1.0 / static_cast<double>(std::uint64_t{1} << shift)),
                           nullptr};
  if (pass.strided) {
    convolve_strided_kernel<T><<<grid, threads, shared, stream>>>(
        data, other, sink, TileGeometry{pass.column_bits, pass.first}, stages, values);
  } else {
    convolve_contiguous_kernel<T><<<grid, threads, shared, stream>>>(data, other, sink, stages, values);
  }
  return cudaGetLastError();
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
