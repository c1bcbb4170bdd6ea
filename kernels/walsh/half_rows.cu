// The Hadamard transform of rows of 2^k and m 2^k 16-bit floats, from 2^5 on by matrix units, out of place or
// in place.
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

__device__ void copy_four(std::uint32_t* to, const std::uint32_t* from) {
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

// `further`: the blocks between this one and that whose rows it asks the second-level cache to load.
template <class Half, int m, int k, class Rows = HalfRows<m, k>>
__global__ void __launch_bounds__(Rows::kThreads, blocks_at_least(Rows::kShape.blocks))
    half_rows_kernel(const std::uint32_t* in, std::uint32_t* out, float factor, std::uint64_t values,
                     unsigned blocks, unsigned further, const __grid_constant__ HalfSigns<m> signs) {
#if __CUDA_ARCH__ >= 800
  constexpr bool ahead = Rows::kShape.ahead;
  static_assert(m == 1 || !ahead);
  const unsigned thread = threadIdx.x, lane = thread % 32;
  float* const shared = shared_values<float>();
  __shared__ std::uint32_t table[Rows::kFours][32];
  typename Rows::Loads loads;
  const auto left = [&](unsigned block) {
    const std::uint64_t more = values - std::uint64_t{block} * Rows::kValues;
    return static_cast<unsigned>(more < Rows::kValues ? more : Rows::kValues);
  };
  const auto load = [&](unsigned block) {
#if __CUDA_ARCH__ >= 900
    if (!Rows::kDirect && thread == 0) {
      const std::uint64_t next = (std::uint64_t{block} + further) * Rows::kValues;
      if (next + Rows::kValues <= values)
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(in + next / 2),
                     "r"(Rows::kValues * 2));
    }
#endif
    Rows::load(loads, copy_four, in + std::uint64_t{block} * (Rows::kValues / 2), left(block), thread);
  };
  wait_for_earlier_pass();
  load(blockIdx.x);
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
      if constexpr (ahead) {
        if (block + gridDim.x < blocks) load(block + gridDim.x);
      }
      Rows::transform(sums, Shuffle(), thread);
      if constexpr (ahead) __syncthreads();  // all have read the last row from shared memory
      float* const half = shared + t % 2 * Rows::kSharedValues;
      FUGU_UNROLL
      for (unsigned group = 0; group < Rows::kGroups; ++group) {
        if constexpr (Rows::kDirect) {
          std::uint32_t words[4];
          Rows::template join<Half>(words, sums[group], factor, Shuffle(), thread);
          const unsigned first = Rows::first_joined(thread), beyond = Rows::group(group);
          // The same question for all rows, so that it is asked once.
          if (Rows::within(first + beyond, left(block)))
            store_words(to + (first + Rows::row(4 * t)) / 2 + beyond / 2, words);
        } else {
          Rows::put(half, sums[group], group, thread);
        }
      }
      if constexpr (!Rows::kDirect) {
        __syncthreads();
        FUGU_UNROLL
        for (unsigned item = 0; item < Rows::kItems; item += Rows::kThreads) {
          const unsigned at = Rows::item_place(item + thread), first = Rows::from_shared(at);
          Floats<Rows::kPiece> pieces[std::size_t{1} << Rows::kWindowBits];
          Rows::get(pieces, half, at);
          const auto store = [&](unsigned beyond, const auto& words) {
            if (Rows::within(first + beyond, left(block)))
              store_words(to + (first + Rows::row(4 * t)) / 2 + beyond / 2, words);
          };
          Rows::template finish<Half>(pieces, store, at, factor);
        }
      }
    }
    if constexpr (!ahead) return;
  }
#endif
}

// A lane has a piece of 16 bytes.
constexpr int kPieceThreads = 256;
template <class Half, int k>
__global__ void __launch_bounds__(kPieceThreads)
    short_rows_kernel(const std::uint32_t* in, std::uint32_t* out, float factor, std::uint64_t pieces) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * kPieceThreads + threadIdx.x;
  std::uint32_t words[4]{};
  wait_for_earlier_pass();
  if (at < pieces) copy_four(words, in + 4 * at);
  transform_neighbours<Half, k>(words, factor, Shuffle(), threadIdx.x);
  if (at < pieces) store_words(out + 4 * at, words);
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
    std::uint64_t at_once = 0;
    if constexpr (!Rows::kDirect || Rows::kShape.ahead) {  // the others do not ask which blocks run at once
      const int status = count_multiprocessors(&at_once);
      if (status != cudaSuccess) return status;
      at_once *= static_cast<unsigned>(Rows::kShape.blocks);
    }
    return launch_blocks(half_rows_kernel<Half, m, k>,
                         Rows::kShape.ahead && at_once < blocks ? at_once : blocks, Rows::kThreads,
                         half_rows_shared_bytes(m, k), stream, in, out, factor, values, blocks, at_once / 2,
                         kSigns[transposed]);
  }

  template <class Half, int m, int k>
  int run_from(int log2_size) const {
    constexpr int most = m == 1 ? kMaxHalfBlockBits : kMaxBaseBits;
    if (log2_size == k) {
      if constexpr (m == 1 && k < kMinHalfRowBits) {
        const std::uint64_t pieces = values / kHalfPiece;
        return launch_blocks(short_rows_kernel<Half, k>, (pieces + kPieceThreads - 1) / kPieceThreads,
                             kPieceThreads, 0, stream, in, out, factor, pieces);
      } else {
        return run<Half, m, k>();
      }
    }
    if constexpr (k < most) return run_from<Half, m, k + 1>(log2_size);
    return cudaErrorInvalidValue;
  }

  template <class Half>
  int run_of(int m, int log2_size) const {
    if (m == 1 && log2_size == kMaxHalfRowBits) return run<Half, 16, kMaxHalfRowBits - 4>();
    if (m == 1) return run_from<Half, 1, 1>(log2_size);
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
