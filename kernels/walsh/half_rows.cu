// The Hadamard transform of rows of 2^k and m 2^k 16-bit floats by matrix units, out of place or in place.
#include <cooperative_groups.h>

#include "kernels/walsh/half_rows_agent.hpp"
#include "kernels/walsh/walsh_shells.cuh"

namespace fugu::kernels {
namespace {

// sums (+)= a times the factors of eight columns, of bit 1 of the column s.
template <class Half>
__device__ void multiply(Floats<8>& sums, const std::uint32_t (&a)[4], const std::uint32_t (&words)[4],
                         bool first) {
  FUGU_UNROLL
  for (int s = 0; s < 2; ++s) {
    float c[4];
    FUGU_UNROLL
    for (int i = 0; i < 4; ++i) c[i] = first ? 0.0f : sums.x[2 * i + s];
#define FUGU_MULTIPLY(type)                                                  \
  asm("mma.sync.aligned.m16n8k16.row.col.f32." type "." type                 \
      ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                       \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(words[s]), "r"(words[2 + s]))
    if constexpr (std::is_same_v<Half, core::Float16>) {
      FUGU_MULTIPLY("f16");
    } else {
      FUGU_MULTIPLY("bf16");
    }
#undef FUGU_MULTIPLY
    FUGU_UNROLL
    for (int i = 0; i < 4; ++i) sums.x[2 * i + s] = c[i];
  }
}

// GPUs before 8.0 have no use for it.
[[maybe_unused]] __device__ void copy_four(std::uint32_t* to, const std::uint32_t* from) {
  const uint4 four = __ldcs(reinterpret_cast<const uint4*>(from));
  to[0] = four.x;
  to[1] = four.y;
  to[2] = four.z;
  to[3] = four.w;
}
template <int count>
__device__ void store_words(std::uint32_t* to, const std::uint32_t (&words)[count]) {
  if constexpr (count == 4)
    __stcs(reinterpret_cast<uint4*>(to), make_uint4(words[0], words[1], words[2], words[3]));
  if constexpr (count == 2) __stcs(reinterpret_cast<uint2*>(to), make_uint2(words[0], words[1]));
  if constexpr (count == 1) __stcs(to, words[0]);
}

struct Shuffle {
  template <class T>
  __device__ T operator()(T value, unsigned lanes) const {
    return __shfl_xor_sync(~0u, value, lanes);
  }
};

// A multiprocessor of compute capability 7.5 or 8.6 takes 16 blocks at most.
constexpr int blocks_at_least(int wanted) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900 && __CUDA_ARCH__ != 800
  return smaller(wanted, 16);
#else
  return wanted;
#endif
}

template <class Half, int m, int log2_size, class Rows = HalfRows<m, log2_size>>
__global__ void __launch_bounds__(Rows::kThreads, blocks_at_least(Rows::kShape.blocks))
    half_rows_kernel(const std::uint32_t* in, std::uint32_t* out, float factor, std::uint64_t values,
                     unsigned blocks, const __grid_constant__ HalfSigns<m> signs) {
#if __CUDA_ARCH__ >= 800
  constexpr bool ahead = Rows::kShape.ahead;
  const unsigned thread = threadIdx.x, lane = thread % 32;
  float* const shared = shared_values<float>();
  __shared__ std::uint32_t table[Rows::kFours][32];
  typename Rows::Loads loads;
  const auto row_of = [](unsigned block) { return Rows::kHalved ? block / 2 * 2 : block; };
  const auto left = [&](unsigned block) {
    const std::uint64_t more = values - std::uint64_t{block} * Rows::kValues;
    return static_cast<unsigned>(more < Rows::kValues ? more : Rows::kValues);
  };
  const auto load = [&](unsigned block) {
    Rows::load(loads, copy_four, in + std::uint64_t{block} * (Rows::kValues / 2), left(block), thread);
  };
  wait_for_earlier_pass();
  load(row_of(blockIdx.x));
  if constexpr (m != 1) {
    for (unsigned i = thread; i < Rows::kFours * 32; i += Rows::kThreads)
      table[i / 32][i % 32] = signs.words[i / 32][i % 32];
    __syncthreads();
  }
  for (unsigned block = blockIdx.x; block < blocks; block += gridDim.x) {
    std::uint32_t* const to = out + std::uint64_t{block} * (Rows::kValues / 2);
#pragma unroll 1
    for (int t = 0; t < Rows::kFours; ++t) {
      typename Rows::Sums sums;
      std::uint32_t word, a[4];
      if constexpr (m == 1) {
        word = HalfSigns<1>::word(lane);
      } else {
        word = table[t][lane];
      }
      FUGU_UNROLL
      for (int i = 0; i < Rows::kFours; ++i) {
        Rows::template factor<Half>(a, word, i, thread);
        FUGU_UNROLL
        for (int group = 0; group < Rows::kGroups; ++group)
          multiply<Half>(sums[group], a, loads[group][i], i == 0);
      }
      if constexpr (Rows::kHalved) {
        load(row_of(block) + 1);
        Rows::template factor<Half>(a, block % 2 == 0 ? word : ~word, 0, thread);
        FUGU_UNROLL
        for (int group = 0; group < Rows::kGroups; ++group)
          multiply<Half>(sums[group], a, loads[group][0], false);
      }
      if constexpr (ahead) {
        if (block + gridDim.x < blocks) load(block + gridDim.x);
      }
      Rows::transform(sums, Shuffle(), thread);
      if constexpr (ahead) __syncthreads();  // all have read the last row from shared memory
      FUGU_UNROLL
      for (unsigned group = 0; group < Rows::kGroups; ++group) {
        const unsigned beyond = Rows::group(group) + Rows::row(4 * t);
        if constexpr (Rows::kDirect) {
          std::uint32_t words[4];
          const unsigned at = Rows::template join<Half>(words, sums[group], factor, Shuffle(),
                                                        Rows::first_sum(thread) + beyond, thread);
          // The same question for all rows, so that it is asked once.
          if (Rows::within(at - Rows::row(4 * t), left(block))) store_words(to + at / 2, words);
        } else {
          Rows::put(shared, sums[group], Rows::first_sum(thread), beyond);
        }
      }
    }
    if constexpr (!Rows::kDirect) {
#if __CUDA_ARCH__ >= 900
      if constexpr (Rows::kHalved) cooperative_groups::this_cluster().sync();  // both have read the whole row
#endif
      __syncthreads();
      FUGU_UNROLL
      for (unsigned first = 0; first < Rows::kItems; first += Rows::kThreads) {
        if (Rows::kItems % Rows::kThreads != 0 && first + thread >= Rows::kItems) break;
        const unsigned at = Rows::item_place(first + thread);
        Floats<Rows::kPiece> pieces[std::size_t{1} << Rows::kWindowBits];
        Rows::get(pieces, shared, at);
        const auto store = [&](unsigned place, const auto& words) {
          if (Rows::within(place, left(block))) store_words(to + place / 2, words);
        };
        Rows::template finish<Half>(pieces, store, at, factor);
      }
    }
    if constexpr (!ahead) return;
  }
#endif
}

struct Launch {
  bool transposed;
  const std::uint32_t* in;
  std::uint32_t* out;
  std::uint64_t values;
  float factor;
  CUstream_st* stream;

  template <class Half, int m, int k>
  int run() const {
    using Rows = HalfRows<m, k>;
    static constexpr HalfSigns<m> kSigns[] = {HalfSigns<m>(false), HalfSigns<m>(true)};
    const std::uint64_t blocks = (values + Rows::kValues - 1) / Rows::kValues;
    std::uint64_t at_once = blocks;
    if (Rows::kShape.ahead) {
      const int status = count_multiprocessors(&at_once);
      if (status != cudaSuccess) return status;
      at_once = blocks < at_once * Rows::kShape.blocks ? blocks : at_once * Rows::kShape.blocks;
    }
    return launch_neighbours(Rows::kHalved ? 2 : 1, half_rows_kernel<Half, m, k>, at_once, Rows::kThreads,
                             half_rows_shared_bytes(m, k), stream, in, out, factor, values, blocks,
                             kSigns[transposed]);
  }

  template <class Half, int m, int k>
  int run_from(int log2_size) const {
    constexpr int most = m == 1 ? kMaxHalfRowBits : kMaxBaseBits;
    if (log2_size == k) return run<Half, m, k>();
    if constexpr (k < most) return run_from<Half, m, k + 1>(log2_size);
    return cudaErrorInvalidValue;
  }

  template <class Half>
  int run_of(int m, int log2_size) const {
    if (m == 1) return run_from<Half, 1, kMinHalfRowBits>(log2_size);
    if (m == 12) return run_from<Half, 12, kMinMatrixBits>(log2_size);
    if (m == 20) return run_from<Half, 20, kMinMatrixBits>(log2_size);
    if (m == 28) return run_from<Half, 28, kMinMatrixBits>(log2_size);
    if (m == 40) return run_from<Half, 40, kMinMatrixBits>(log2_size);
    return cudaErrorInvalidValue;
  }
};

}  // namespace

int launch_half_rows(Element half, const HadamardRows& rows, const void* in, void* out, std::uint64_t values,
                     float factor, CUstream_st* stream) {
  const Launch launch{rows.transposed,
                      static_cast<const std::uint32_t*>(in),
                      static_cast<std::uint32_t*>(out),
                      values,
                      factor,
                      stream};
  return half == Element::float16 ? launch.run_of<core::Float16>(rows.m, rows.log2_size)
                                  : launch.run_of<core::Bfloat16>(rows.m, rows.log2_size);
}

}  // namespace fugu::kernels
