// The Hadamard transform of rows of 2^k 16-bit floats and of m 2^k floats, out of place or in place: of 16
// bits by matrix units from 2^5 on, and of what these do not take by pairs.
#include "kernels/walsh/half_rows_agent.hpp"
#include "kernels/walsh/walsh_shells.cuh"

namespace fugu::kernels {
namespace {

// sums += a times the factors of eight columns, of bit 1 of the column s.
template <class Half>
__device__ void multiply(Floats<8>& sums, const std::uint32_t (&a)[4], const std::uint32_t (&words)[4]) {
  FUGU_UNROLL
  for (int s = 0; s < 2; ++s) {
#define FUGU_MULTIPLY(type)                                                            \
  asm("mma.sync.aligned.m16n8k16.row.col.f32." type "." type                           \
      ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"           \
      : "+f"(sums.x[s]), "+f"(sums.x[2 + s]), "+f"(sums.x[4 + s]), "+f"(sums.x[6 + s]) \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(words[s]), "r"(words[2 + s]))
    if constexpr (std::is_same_v<Half, core::Float16>) {
      FUGU_MULTIPLY("f16");
    } else {
      FUGU_MULTIPLY("bf16");
    }
#undef FUGU_MULTIPLY
  }
}

__device__ void copy_four(std::uint32_t* to, const std::uint32_t* from) {
  const uint4 four = __ldcs(reinterpret_cast<const uint4*>(from));
  __builtin_memcpy(to, &four, sizeof(four));
}
template <int count>
__device__ void store_words(std::uint32_t* to, const std::uint32_t (&words)[count]) {
  using Piece = std::conditional_t<count == 4, uint4, std::conditional_t<count == 2, uint2, unsigned>>;
  Piece piece;
  __builtin_memcpy(&piece, words, sizeof(piece));
  __stcs(reinterpret_cast<Piece*>(to), piece);
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
      typename Rows::Sums sums{};
      const std::uint32_t word = m == 1 ? sylvester_signs(lane) : table[t][lane];
      std::uint32_t a[4];
      FUGU_UNROLL
      for (int i = 0; i < Rows::kFours; ++i) {
        Rows::template factor<Half>(a, word, i, thread);
        FUGU_UNROLL
        for (int group = 0; group < Rows::kGroups; ++group) multiply<Half>(sums[group], a, loads[group][i]);
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

// Long rows are a chain of two passes (kernels/walsh/chain_agent.hpp). The float32 values between these lie
// in a ring of whole chunks, so that they stay in the second-level cache; what is read or written once leaves
// it first.
template <class Half>
struct OnceSource {
  const std::uint32_t* words;
  __device__ Pair operator()(std::uint64_t start, std::uint64_t beyond) const {
    return transformed_pair<Half>(__ldcs(words + start + beyond));
  }
};

template <class Half>
struct OnceSink {
  std::uint32_t* words;
  float factor;
  __device__ void operator()(std::uint64_t at, Pair pair) const {
    __stcs(words + at, word_of<Half>({pair.low * factor, pair.high * factor}));
  }
};

struct RingSource {
  const Pair* ring;
  std::uint32_t mask;
  __device__ Pair operator()(std::uint64_t start, std::uint64_t beyond) const {
    const Pair* const from = ring + (static_cast<std::uint32_t>(start) & mask) + beyond;
    return __builtin_bit_cast(Pair, __ldcs(reinterpret_cast<const float2*>(from)));
  }
};

struct RingSink {
  Pair* ring;
  std::uint32_t mask;
  __device__ void operator()(std::uint64_t at, Pair pair) const {
    ring[static_cast<std::uint32_t>(at) & mask] = pair;
  }
};

// Each chunk has a counter of its first pass's tiles, and one of its second's, whose values the ring then has
// no longer.
template <class First, class Second>
__global__ void __launch_bounds__(First::kThreads, First::kBlocksPerSm)
    ring_chain_kernel(ChainShape shape, std::uint64_t slots, std::uint32_t* done, First first,
                      Second second) {
  const ChainStep step = chain_step(shape, blockIdx.x);
  const std::uint64_t chunk = chain_chunk(shape, step);
  std::uint32_t* const written = done + chunk;
  std::uint32_t* const read = written + shape.chunks;
  await_earlier_pass();
  if (step.second) {
    await_count(written, shape.tiles_per_chunk);
    second(step.tile);
    add_one(read);
  } else {
    if (chunk >= slots) await_count(read - slots, shape.tiles_per_chunk);
    first(step.tile);
    add_one(written);
  }
}

template <class Half>
int launch_chain_of(const void* in, void* out, float* between, std::uint32_t* done, std::uint64_t values,
                    int log2_size, float factor, CUstream_st* stream) {
  constexpr int tile = kHalfTileBits;
  Pair* const ring = reinterpret_cast<Pair*>(between);
  constexpr auto mask = static_cast<std::uint32_t>(kHalfRingPairs - 1);
  const std::uint64_t count = values / 2;
  const int stages = log2_size - 1 - tile, rows = larger(stages, register_bits_of(tile));
  const WalshPass pass{true, tile, tile - rows, tile + stages - rows, tile - stages, tile};
  auto first = contiguous_work<Pair, tile>({0, tile}, OnceSource<Half>{static_cast<const std::uint32_t*>(in)},
                                           RingSink{ring, mask}, count);
  auto second = strided_work<Pair, tile>(pass, RingSource{ring, mask},
                                         OnceSink<Half>{static_cast<std::uint32_t*>(out), factor}, count);
  const ChainShape shape = half_chain(values, log2_size);
  return launch_blocks(ring_chain_kernel<decltype(first), decltype(second)>, chain_blocks(shape),
                       first.kThreads, first.kSharedBytes, stream, shape, kHalfRingPairs >> (log2_size - 1),
                       done, first, second);
}

// Bounds that allow 80 registers up to 20 rows, so that three blocks fit a multiprocessor, and 128 beyond.
constexpr int base_threads(int m) {
  return m <= 20 ? 768 : 512;
}

template <int m, bool transposed, class T>
__global__ void __launch_bounds__(base_threads(m), 1)
    base_kernel(WordSource<T> source, WordSink<T> sink, int thread_bits, int pair_bits, std::uint64_t count) {
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

template <class T>
int launch_base(const HadamardRows& rows, const void* in, void* out, std::uint64_t values, float factor,
                CUstream_st* stream) {
  const int thread_bits = base_thread_bits(rows.log2_size);
  const std::uint64_t pairs = values / 2, of_block = std::uint64_t(rows.m) << thread_bits;
  const auto run = [&](auto kernel) {
    return launch_blocks(
        kernel, (pairs + of_block - 1) / of_block, 1 << thread_bits, base_row_bytes(rows.m, rows.log2_size),
        stream, WordSource<T>{static_cast<const PairWord<T>*>(in)},
        WordSink<T>{static_cast<PairWord<T>*>(out), factor}, thread_bits, rows.log2_size - 1, pairs);
  };
  if (rows.m == 12) return run(base_kernel<12, false, T>);  // symmetric
  if (rows.m == 20) return run(rows.transposed ? base_kernel<20, true, T> : base_kernel<20, false, T>);
  if (rows.m == 28) return run(rows.transposed ? base_kernel<28, true, T> : base_kernel<28, false, T>);
  if (rows.m == 40) return run(rows.transposed ? base_kernel<40, true, T> : base_kernel<40, false, T>);
  return cudaErrorInvalidValue;
}

template <class Launch>
int with_half(Element half, const Launch& launch) {
  return half == Element::float16 ? launch(core::Float16()) : launch(core::Bfloat16());
}

}  // namespace

int launch_half_rows(Element half, const HadamardRows& rows, const void* in, void* out, std::uint64_t values,
                     float factor, CUstream_st* stream) {
  const auto* const words = static_cast<const std::uint32_t*>(in);
  const Launch launch{rows.transposed, words, static_cast<std::uint32_t*>(out), values, factor, stream};
  return with_half(half, [&](auto type) { return launch.run_of<decltype(type)>(rows.m, rows.log2_size); });
}

int launch_half_tiles(Element half, const void* in, void* out, std::uint64_t values, int log2_size,
                      float factor, CUstream_st* stream) {
  return with_half(half, [&](auto type) {
    using Type = decltype(type);
    const WordSource<Type> source{static_cast<const std::uint32_t*>(in)};
    const WordSink<Type> sink{static_cast<std::uint32_t*>(out), factor};
    const StageRange stages{0, log2_size - 1};
    return launch_work(contiguous_work<Pair, kHalfTileBits>(stages, source, sink, values / 2),
                       tiles_of(values / 2, kHalfTileBits), stream);
  });
}

int launch_half_chain(Element half, const void* in, void* out, float* between, std::uint32_t* done,
                      std::uint64_t values, int log2_size, float factor, CUstream_st* stream) {
  return with_half(half, [&](auto type) {
    return launch_chain_of<decltype(type)>(in, out, between, done, values, log2_size, factor, stream);
  });
}

int launch_hadamard_rows(Element type, const HadamardRows& rows, const void* in, void* out,
                         std::uint64_t values, float factor, CUstream_st* stream) {
  if (type == Element::float32) return launch_base<float>(rows, in, out, values, factor, stream);
  return with_half(
      type, [&](auto half) { return launch_base<decltype(half)>(rows, in, out, values, factor, stream); });
}

}  // namespace fugu::kernels
