// The fast Walsh transform of integers and floats: passes in place, and whole transforms in one launch.
#include <cooperative_groups.h>

#include "kernels/walsh/received_agent.hpp"
#include "kernels/walsh/walsh_ring.cuh"

namespace fugu::kernels {
namespace {

template <class T>
ValueSource<T> source_of(const void* data) {
  return {static_cast<const T*>(data)};
}

// Loads evict-first, for chains: the first pass overwrites the values, the second is their last reader.
// Convolutions of 2^27 floats take 1594 us with it, 1599 without (H200).
template <class T>
struct StreamingSource {
  const T* data;
  __device__ T operator()(std::uint64_t start, std::uint64_t beyond) const {
    return __ldcs(data + start + beyond);
  }
};

// Loads evict-first: nothing reads the parts that arrived again. On two H200s 2^34 values take 67.3 ms, 68.7
// without it.
template <class T>
struct ReceivedSource {
  const T* data;
  ReceivedParts parts;
  __device__ T operator()(std::uint64_t start, std::uint64_t beyond) const {
    return __ldcs(place_of(data, parts, start) + beyond);
  }
};

// Stores evict-first, for the last pass: nothing reads its values again.
template <class T>
struct StreamingSink {
  ScaledSink<T> scale;
  __device__ void operator()(std::uint64_t at, T value) const {
    __stcs(scale.data + at, scale.scaled(value));
  }
};

// Stores with an L2 policy.
template <class T>
struct HintedSink {
  ScaledSink<T> scale;
  std::uint64_t policy;

  __device__ void operator()(std::uint64_t at, T value) const {
    const T scaled = scale.scaled(value);
#if __CUDA_ARCH__ >= 800
    if constexpr (sizeof(T) == 4) {
      asm volatile("st.global.L2::cache_hint.b32 [%0], %1, %2;"
                   :
                   : "l"(scale.data + at), "r"(__builtin_bit_cast(std::uint32_t, scaled)), "l"(policy)
                   : "memory");
    } else {
      asm volatile("st.global.L2::cache_hint.b64 [%0], %1, %2;"
                   :
                   : "l"(scale.data + at), "l"(__builtin_bit_cast(std::uint64_t, scaled)), "l"(policy)
                   : "memory");
    }
#else
    scale.data[at] = scaled;
#endif
  }
};

// Stores tiles up to `leaving` evict-first.
template <class T>
struct LeavingSink {
  ScaledSink<T> scale;
  std::uint64_t leaving;
};

template <class T>
__device__ HintedSink<T> sink_of_tile(LeavingSink<T>& sink, std::uint64_t number) {
  std::uint64_t policy = 0;
#if __CUDA_ARCH__ >= 800
  if (number < sink.leaving) {
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  } else {
    asm volatile("createpolicy.fractional.L2::evict_unchanged.b64 %0, 1.0;" : "=l"(policy));
  }
#endif
  return {sink.scale, policy};
}

template <class T, int tile_bits, class Sink>
int launch_strided(const WalshPass& pass, const void* in, std::uint64_t values, const Sink& sink,
                   CUstream_st* stream) {
  const std::uint64_t tiles = tiles_of(values, tile_bits);
  const auto work = strided_work<T, tile_bits>(pass, LineSource<T>{static_cast<const T*>(in)}, sink, values);
  using Work = std::remove_const_t<decltype(work)>;
  return launch_neighbours(neighbours_of<T>(pass, tiles), pass_kernel<Work>, tiles, Work::kThreads,
                           Work::kSharedBytes, stream, work);
}

template <class T, int tile_bits, class Source>
int launch_contiguous(const WalshPass& pass, const Source& source, std::uint64_t values,
                      const ScaledSink<T>& sink, CUstream_st* stream) {
  const LeavingSink<T> out{sink, pass.leaving};
  return launch_work(contiguous_work<T, tile_bits>(StageRange{pass.from, pass.to}, source, out, values),
                     tiles_of(values, tile_bits), stream);
}

template <class T, int tile_bits>
int launch_tile(const WalshPass& pass, const void* in, std::uint64_t values, const ScaledSink<T>& sink,
                CUstream_st* stream) {
  if (!pass.strided) return launch_contiguous<T, tile_bits>(pass, source_of<T>(in), values, sink, stream);
  if (pass.leaving == 0) return launch_strided<T, tile_bits>(pass, in, values, sink, stream);
  return launch_strided<T, tile_bits>(pass, in, values, StreamingSink<T>{sink}, stream);
}

template <class T, int rows, class Sink>
int launch_ring_rows(const WalshPass& pass, const T* in, std::uint64_t values, const Sink& sink,
                     CUstream_st* stream) {
  constexpr int tile_bits = ring_tile_bits(sizeof(T));
  using Pass = RingStrided<T, tile_bits, register_bits_of(tile_bits), tile_bits - rows>;
  return launch_ring<Pass>(in, sink, TileGeometry{pass.column_bits, pass.first}, values >> tile_bits, stream);
}

template <class T, class Sink>
int launch_ring_strided(const WalshPass& pass, const T* in, std::uint64_t values, const Sink& sink,
                        CUstream_st* stream) {
  const int rows = ring_tile_bits(sizeof(T)) - pass.column_bits;
  if (rows == 10) return launch_ring_rows<T, 10>(pass, in, values, sink, stream);
  if constexpr (sizeof(T) == 4) {
    if (rows == 11) return launch_ring_rows<T, 11>(pass, in, values, sink, stream);
  }
  return cudaErrorInvalidValue;
}

template <class T, class Sink>
int launch_ring_contiguous(const T* in, std::uint64_t values, const Sink& sink, CUstream_st* stream) {
  constexpr int tile_bits = ring_tile_bits(sizeof(T));
  return launch_ring<RingContiguous<T, tile_bits, 5>>(in, sink, TileGeometry{tile_bits, tile_bits},
                                                      values >> tile_bits, stream);
}

// Without scaling the results are stored without a check of divisibility, which would take too long.
template <class T>
int launch_ring_pass(const WalshPass& pass, const T* in, T* out, std::uint64_t values, const Scaling& scaling,
                     CUstream_st* stream) {
  constexpr int tile_bits = ring_tile_bits(sizeof(T));
  const bool aligned = reinterpret_cast<std::uintptr_t>(in) % kPieceBytes == 0;
  if (!aligned || pass.from != (pass.strided ? pass.column_bits : 0) || pass.to != tile_bits)
    return cudaErrorInvalidValue;
  const ValueSink<T> plain{out};
  const ScaledSink<T> scaled = scaled_sink(out, scaling);
  const bool scales = scaling.shift != 0 || scaling.factor != 1;
  if (pass.strided) {
    return scales ? launch_ring_strided(pass, in, values, scaled, stream)
                  : launch_ring_strided(pass, in, values, plain, stream);
  }
  return scales ? launch_ring_contiguous(in, values, scaled, stream)
                : launch_ring_contiguous(in, values, plain, stream);
}

// Calls `launch` with the number of bits of the pass's tiles, which are not ring tiles, as a constant.
template <class T, class Launch>
int with_tile_bits(const WalshPass& pass, const Launch& launch) {
  if (pass.tile_bits == kSmallTileBits) return launch(std::integral_constant<int, kSmallTileBits>());
  if (pass.tile_bits == kBatchTileBits) return launch(std::integral_constant<int, kBatchTileBits>());
  if constexpr (sizeof(T) == 4) {
    if (pass.tile_bits == kTileBits) return launch(std::integral_constant<int, kTileBits>());
  }
  return cudaErrorInvalidValue;
}

template <class T>
int launch_pass_of(const WalshPass& pass, const void* in, void* out, std::uint64_t values,
                   const Scaling& scaling, CUstream_st* stream) {
  T* const to = static_cast<T*>(out);
  if (pass.tile_bits == ring_tile_bits(sizeof(T)))
    return launch_ring_pass(pass, static_cast<const T*>(in), to, values, scaling, stream);
  return with_tile_bits<T>(pass, [&](auto tile_bits) {
    return launch_tile<T, tile_bits.value>(pass, in, values, scaled_sink(to, scaling), stream);
  });
}

template <class T>
int launch_received_of(const WalshPass& pass, void* data, const ReceivedParts& received, std::uint64_t values,
                       CUstream_st* stream) {
  if (pass.strided) return cudaErrorInvalidValue;
  return with_tile_bits<T>(pass, [&](auto tile_bits) {
    T* out = static_cast<T*>(data);
    return launch_contiguous<T, tile_bits.value>(pass, ReceivedSource<T>{out, received}, values,
                                                 scaled_sink(out, {}), stream);
  });
}

template <class T>
int launch_chain_of(const WalshPass& first, const WalshPass& second, const ChainShape& shape,
                    std::uint32_t* done, const void* in, void* out, void* other, std::uint64_t values,
                    const Scaling& scaling, CUstream_st* stream) {
  constexpr int tile_bits = chain_tile_bits(sizeof(T));
  if (first.tile_bits != tile_bits || second.tile_bits != tile_bits) return cudaErrorInvalidValue;
  const auto row_of = [&](const void* from, void* row, std::uint32_t* row_done) {
    const StreamingSource<T> source{static_cast<const T*>(from)};
    const StreamingSource<T> again{static_cast<const T*>(row)};
    const ValueSink<T> between{static_cast<T*>(row)};
    const StreamingSink<T> last{scaled_sink(static_cast<T*>(row), scaling)};
    return ChainRow{row_done,
                    contiguous_work<T, tile_bits>(StageRange{first.from, first.to}, source, between, values),
                    strided_work<T, tile_bits>(second, again, last, values)};
  };
  if (other == nullptr) return launch_chain(shape, stream, row_of(in, out, done));
  return launch_chain(shape, stream, row_of(in, out, done), row_of(other, other, done + shape.chunks));
}

template <class T, int tile_bits>
using OnceLow = ContiguousPass<T, tile_bits, kOnceRegisterBits>;
template <class T, int tile_bits>
using OnceHigh = StridedPass<T, tile_bits, kOnceRegisterBits>;

// Computes two passes with a grid-wide barrier between them, or one pass in a single block if the row fits a
// tile.
template <class T, int tile_bits>
__global__ void __launch_bounds__(OnceLow<T, tile_bits>::Tile::kThreads)
    once_kernel(const T* in, ScaledSink<T> sink, StageRange low, TileGeometry geometry, StageRange high,
                std::uint64_t size) {
  using Low = OnceLow<T, tile_bits>;
  using High = OnceHigh<T, tile_bits>;
  constexpr Walk walk = Walk::forward;
  typename Low::Tile tile;
  tile.load(ValueSource<T>{in}, Low::geometry(), blockIdx.x, threadIdx.x, Low::first_window(walk), size);
  walk_contiguous<Low, walk>(tile, shared_values<T>(), low);
  if (gridDim.x == 1)
    return tile.store(sink, Low::geometry(), blockIdx.x, threadIdx.x, Low::last_window(walk), size);
  const ValueSink<T> between{sink.data};
  tile.store(between, Low::geometry(), blockIdx.x, threadIdx.x, Low::last_window(walk), size);
  cooperative_groups::this_grid().sync();
  tile.load(ValueSource<T>{sink.data}, geometry, blockIdx.x, threadIdx.x,
            High::first_window(walk, geometry, high), size);
  walk_strided<High, walk>(tile, shared_values<T>(), geometry, high);
  tile.store(sink, geometry, blockIdx.x, threadIdx.x, High::last_window(walk, geometry, high), size);
}

// Calls `launch` with the number of bits of the tiles as a constant.
template <class Launch>
int with_once_tile_bits(int log2_size, const Launch& launch) {
  constexpr int few = kSmallTileBits, many = kOnceTileBits;
  return once_tile_bits(log2_size) == few ? launch(std::integral_constant<int, few>())
                                          : launch(std::integral_constant<int, many>());
}

template <class T, int tile_bits>
int launch_once_of(const void* in, void* out, int log2_size, const Scaling& scaling, CUstream_st* stream) {
  constexpr int top = OnceLow<T, tile_bits>::kTop;
  const T* values = static_cast<const T*>(in);
  auto sink = scaled_sink(static_cast<T*>(out), scaling);
  StageRange low{0, smaller(log2_size, tile_bits)};
  const int stages = larger(log2_size - tile_bits, 0);
  const int rows = larger(stages, tile_bits - top);
  TileGeometry geometry{tile_bits - rows, log2_size - rows};
  StageRange high{tile_bits - stages, tile_bits};
  std::uint64_t size = std::uint64_t{1} << log2_size;
  void* arguments[] = {&values, &sink, &low, &geometry, &high, &size};
  return cudaLaunchCooperativeKernel(once_kernel<T, tile_bits>,
                                     dim3(static_cast<unsigned>(walsh_once_blocks(log2_size))),
                                     dim3(OnceLow<T, tile_bits>::Tile::kThreads), arguments,
                                     tile_shared_bytes(tile_bits, sizeof(T)), stream);
}

template <class T, int tile_bits>
int once_occupancy_of(int* blocks) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, once_kernel<T, tile_bits>,
                                                       OnceLow<T, tile_bits>::Tile::kThreads,
                                                       tile_shared_bytes(tile_bits, sizeof(T)));
}

// Calls `launch` with a value of the type of such elements.
template <class Launch>
int with_element(Element element, const Launch& launch) {
  switch (element) {
    case Element::int32:
      return launch(std::int32_t());
    case Element::int64:
      return launch(std::int64_t());
    case Element::float32:
      return launch(float());
    case Element::float64:
      return launch(double());
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace

int launch_walsh_pass(Element element, const WalshPass& pass, const void* in, void* out, std::uint64_t values,
                      const Scaling& scaling, CUstream_st* stream) {
  return with_element(element, [&](auto value) {
    return launch_pass_of<decltype(value)>(pass, in, out, values, scaling, stream);
  });
}

int launch_walsh_received(Element element, const WalshPass& pass, void* data, const ReceivedParts& received,
                          std::uint64_t values, CUstream_st* stream) {
  return with_element(element, [&](auto value) {
    return launch_received_of<decltype(value)>(pass, data, received, values, stream);
  });
}

int launch_walsh_chain(Element element, const WalshPass& first, const WalshPass& second,
                       const ChainShape& shape, std::uint32_t* done, const void* in, void* out, void* other,
                       std::uint64_t values, const Scaling& scaling, CUstream_st* stream) {
  return with_element(element, [&](auto value) {
    return launch_chain_of<decltype(value)>(first, second, shape, done, in, out, other, values, scaling,
                                            stream);
  });
}

int walsh_once_occupancy(Element element, int log2_size, int* blocks) {
  return with_element(element, [&](auto value) {
    return with_once_tile_bits(log2_size, [&](auto tile_bits) {
      return once_occupancy_of<decltype(value), tile_bits.value>(blocks);
    });
  });
}

int launch_walsh_once(Element element, const void* in, void* out, int log2_size, const Scaling& scaling,
                      CUstream_st* stream) {
  return with_element(element, [&](auto value) {
    return with_once_tile_bits(log2_size, [&](auto tile_bits) {
      return launch_once_of<decltype(value), tile_bits.value>(in, out, log2_size, scaling, stream);
    });
  });
}

}  // namespace fugu::kernels
