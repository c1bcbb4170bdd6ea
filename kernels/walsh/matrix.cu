// The Hadamard transform of rows of m 2^k 16-bit floats by matrix units, out of place or in place.
#include "kernels/walsh/matrix_agent.hpp"
#include "kernels/walsh/walsh_shells.cuh"

namespace fugu::kernels {
namespace {

// c += a b, a's rows having 16 values.
template <class Half>
__device__ void multiply_add(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
#define FUGU_MULTIPLY(type)                                                  \
  asm("mma.sync.aligned.m16n8k16.row.col.f32." type "." type                 \
      ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                       \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1))
  if constexpr (std::is_same_v<Half, core::Float16>) {
    FUGU_MULTIPLY("f16");
  } else {
    FUGU_MULTIPLY("bf16");
  }
#undef FUGU_MULTIPLY
}

// 8 values.
template <class Half>
__device__ void multiply_add(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b) {
#define FUGU_MULTIPLY(type)                                      \
  asm("mma.sync.aligned.m16n8k8.row.col.f32." type "." type      \
      ".f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" \
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])           \
      : "r"(a[0]), "r"(a[1]), "r"(b))
  if constexpr (std::is_same_v<Half, core::Float16>) {
    FUGU_MULTIPLY("f16");
  } else {
    FUGU_MULTIPLY("bf16");
  }
#undef FUGU_MULTIPLY
}

// The rows of a tile in a lane's 16 columns.
template <class Half, class Rows>
__device__ void multiply_tile(float (&x)[2][16], const typename Rows::Words& words, std::uint32_t signs) {
  constexpr int depth = Rows::kDepth;
  std::uint32_t a[(depth + 1) / 2][4];
  FUGU_UNROLL
  for (int i = 0; i < 2 * depth; ++i) a[i / 4][i % 4] = Rows::template factor<Half>(signs, i);
  FUGU_UNROLL
  for (int column = 0; column < 8; ++column) {
    float c[4] = {};
    FUGU_UNROLL
    for (int i = 0; i + 1 < depth; i += 2)
      multiply_add<Half>(c, a[i / 2], words[i][column], words[i + 1][column]);
    if constexpr (depth % 2 == 1) multiply_add<Half>(c, a[depth / 2], words[depth - 1][column]);
    x[0][column] = c[0];
    x[0][8 + column] = c[1];
    x[1][column] = c[2];
    x[1][8 + column] = c[3];
  }
}

template <class Rows>
__device__ void swap_lanes(float (&x)[16], unsigned lanes) {
  float other[16];
  FUGU_UNROLL
  for (int i = 0; i < 16; ++i) other[i] = __shfl_xor_sync(~0u, x[i], lanes);
  Rows::swap_stage(x, other, (threadIdx.x & lanes) != 0);
}

template <class Half, int m, int k>
__global__ void __launch_bounds__(MatrixRows<m, k>::kThreads, MatrixRows<m, k>::kShape.blocks)
    matrix_kernel(const std::uint32_t* in, HalfSink<Half> sink, const __grid_constant__ MatrixSigns<m> signs,
                  std::uint64_t columns) {
#if __CUDA_ARCH__ >= 800
  using Rows = MatrixRows<m, k>;
  constexpr bool ahead = Rows::kShape.ahead;
  float* const shared = shared_values<float>();
  typename Rows::Words words;
  const auto copy = [](std::uint32_t* to, const std::uint32_t* from) {
    const uint4 four = __ldcs(reinterpret_cast<const uint4*>(from));
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
  };
  const auto load = [&](std::uint64_t block) { Rows::load(words, copy, in, block, columns, threadIdx.x); };
  std::uint32_t mine[Rows::kTiles];
  FUGU_UNROLL
  for (int tile = 0; tile < Rows::kTiles; ++tile) mine[tile] = signs.words[tile][threadIdx.x % 32];
  wait_for_earlier_pass();
  load(blockIdx.x);
  for (std::uint64_t block = blockIdx.x; block * Rows::kColumns < columns; block += gridDim.x) {
    Rows::pair_rows(words);
    FUGU_UNROLL
    for (int tile = 0; tile < Rows::kTiles; ++tile) {
      float x[2][16];
      multiply_tile<Half, Rows>(x, words, mine[tile]);
      FUGU_UNROLL
      for (int half = 0; half < 2; ++half) {
        if (!Rows::has(tile, half)) continue;
        core::butterflies<4>(x[half], 0, 4);
        FUGU_UNROLL
        for (unsigned lanes = 1; lanes < 1u << Rows::kShape.swapped_bits; lanes *= 2)
          swap_lanes<Rows>(x[half], lanes);
        Rows::put(shared, x[half], threadIdx.x, tile, half);
      }
    }
    __syncthreads();
    if constexpr (ahead) load(block + gridDim.x);
    for (unsigned item = threadIdx.x; item < Rows::kItems; item += Rows::kThreads)
      Rows::finish(shared, sink, block, columns, item);
    if constexpr (!ahead) return;
    __syncthreads();
  }
#endif
}

template <class Half, int m, int k>
int launch_of(bool transposed, const void* in, void* out, std::uint64_t values, float factor,
              CUstream_st* stream) {
  using Rows = MatrixRows<m, k>;
  static constexpr MatrixSigns<m> kSigns[] = {MatrixSigns<m>(false), MatrixSigns<m>(true)};
  const std::uint64_t columns = values / m;
  std::uint64_t blocks = (columns + Rows::kColumns - 1) / Rows::kColumns;
  if (Rows::kShape.ahead) {
    std::uint64_t at_once = 0;
    const int status = count_multiprocessors(&at_once);
    if (status != cudaSuccess) return status;
    blocks = blocks < at_once * Rows::kShape.blocks ? blocks : at_once * Rows::kShape.blocks;
  }
  return launch_blocks(matrix_kernel<Half, m, k>, blocks, Rows::kThreads, matrix_shared_bytes(m, k), stream,
                       static_cast<const std::uint32_t*>(in),
                       HalfSink<Half>{static_cast<std::uint32_t*>(out), factor}, kSigns[transposed], columns);
}

template <class Half, int m, int k = kLeastMatrixBits>
int launch_k(const HadamardRows& rows, const void* in, void* out, std::uint64_t values, float factor,
             CUstream_st* stream) {
  if (rows.log2_size == k) return launch_of<Half, m, k>(rows.transposed, in, out, values, factor, stream);
  if constexpr (k < kMostBaseBits) return launch_k<Half, m, k + 1>(rows, in, out, values, factor, stream);
  return cudaErrorInvalidValue;
}

template <class Half>
int launch_m(const HadamardRows& rows, const void* in, void* out, std::uint64_t values, float factor,
             CUstream_st* stream) {
  if (rows.m == 12) return launch_k<Half, 12>(rows, in, out, values, factor, stream);
  if (rows.m == 20) return launch_k<Half, 20>(rows, in, out, values, factor, stream);
  if (rows.m == 28) return launch_k<Half, 28>(rows, in, out, values, factor, stream);
  if (rows.m == 40) return launch_k<Half, 40>(rows, in, out, values, factor, stream);
  return cudaErrorInvalidValue;
}

}  // namespace

int launch_hadamard_matrix_rows(Half half, const HadamardRows& rows, const void* in, void* out,
                                std::uint64_t values, float factor, CUstream_st* stream) {
  return half == Half::float16 ? launch_m<core::Float16>(rows, in, out, values, factor, stream)
                               : launch_m<core::Bfloat16>(rows, in, out, values, factor, stream);
}

}  // namespace fugu::kernels
