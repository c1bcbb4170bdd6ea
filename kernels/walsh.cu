// The fast Walsh transform of integers and floats: passes in place, and whole transforms in one launch.
#include "kernels/walsh_shells.cuh"

namespace fugu::kernels {
namespace {

template <class T>
Plain<ScaledSink<T>> scaled(void* data, int shift, std::uint32_t* inexact) {
  const double factor = 1.0 / static_cast<double>(std::uint64_t{1} << shift);
  return {{static_cast<T*>(data), shift, static_cast<T>(factor), inexact}};
}

template <class T, int tile_bits>
int launch_tile(const WalshPass& pass, void* data, std::uint64_t values, int shift, std::uint32_t* inexact,
                CUstream_st* stream) {
  const ValueSource<T> source{static_cast<const T*>(data)};
  const auto sink = scaled<T>(data, shift, inexact);
  if (pass.strided) return launch_strided<T, tile_bits>(pass, source, sink, values, stream);
  return launch_contiguous<T, tile_bits>(StageRange{pass.from, pass.to}, source, sink, values, stream);
}

template <class T>
int launch_pass_of(const WalshPass& pass, void* data, std::uint64_t values, int shift, std::uint32_t* inexact,
                   CUstream_st* stream) {
  if (pass.cluster) {
    constexpr int tile_bits = cluster_tile_bits(sizeof(T));
    if (pass.tile_bits != tile_bits) return cudaErrorInvalidValue;
    return launch_cluster<T, tile_bits>(pass, ValueSource<T>{static_cast<const T*>(data)},
                                        scaled<T>(data, shift, inexact), values, stream);
  }
  switch (pass.tile_bits) {
    case kSmallTileBits:
      return launch_tile<T, kSmallTileBits>(pass, data, values, shift, inexact, stream);
    case kBatchTileBits:
      return launch_tile<T, kBatchTileBits>(pass, data, values, shift, inexact, stream);
    default:
      break;
  }
  if constexpr (sizeof(T) == 4) {
    if (pass.tile_bits == kTileBits)
      return launch_tile<T, kTileBits>(pass, data, values, shift, inexact, stream);
  }
  return cudaErrorInvalidValue;
}

// Two passes with a barrier of the whole grid between them; one block when the row fits a tile.
template <class T>
__global__ void __launch_bounds__(Contiguous<T, kSmallTileBits>::Tile::kThreads)
    once_kernel(T* data, Plain<ScaledSink<T>> sink, StageRange low, TileGeometry geometry, StageRange high,
                std::uint64_t size) {
  using Low = Contiguous<T, kSmallTileBits>;
  using High = Strided<T, kSmallTileBits>;
  typename Low::Tile tile;
  const ValueSource<T> source{data};
  tile.load(source, Low::geometry(), blockIdx.x, threadIdx.x, Low::first_window(), size);
  contiguous_forward<Low>(tile, shared_values<T>(), low);
  if (gridDim.x == 1)
    return tile.store(sink, Low::geometry(), blockIdx.x, threadIdx.x, Low::last_window(), size);
  const ValueSink<T> between{data};
  tile.store(between, Low::geometry(), blockIdx.x, threadIdx.x, Low::last_window(), size);
  cooperative_groups::this_grid().sync();
  tile.load(source, geometry, blockIdx.x, threadIdx.x, High::first_window(), size);
  strided_forward<High>(tile, shared_values<T>(), geometry, high);
  tile.store(sink, geometry, blockIdx.x, threadIdx.x, High::last_window(geometry, high), size);
}

template <class T>
int launch_once_of(void* data, int log2_size, int shift, std::uint32_t* inexact, CUstream_st* stream) {
  constexpr int tile_bits = kSmallTileBits;
  constexpr int top = Contiguous<T, tile_bits>::kTop;
  T* values = static_cast<T*>(data);
  auto sink = scaled<T>(data, shift, inexact);
  StageRange low{0, smaller(log2_size, tile_bits)};
  const int stages = larger(log2_size - tile_bits, 0);
  const int rows = larger(stages, tile_bits - top);
  TileGeometry geometry{tile_bits - rows, log2_size - rows};
  StageRange high{tile_bits - stages, tile_bits};
  std::uint64_t size = std::uint64_t{1} << log2_size;
  void* arguments[] = {&values, &sink, &low, &geometry, &high, &size};
  return cudaLaunchCooperativeKernel(once_kernel<T>, dim3(1u << stages),
                                     dim3(Contiguous<T, tile_bits>::Tile::kThreads), arguments,
                                     tile_shared_bytes(tile_bits, sizeof(T)), stream);
}

}  // namespace

int launch_walsh_pass(Element element, const WalshPass& pass, void* data, std::uint64_t values, int shift,
                      std::uint32_t* inexact, CUstream_st* stream) {
  switch (element) {
    case Element::int32:
      return launch_pass_of<std::int32_t>(pass, data, values, shift, inexact, stream);
    case Element::int64:
      return launch_pass_of<std::int64_t>(pass, data, values, shift, inexact, stream);
    case Element::float32:
      return launch_pass_of<float>(pass, data, values, shift, inexact, stream);
    case Element::float64:
      return launch_pass_of<double>(pass, data, values, shift, inexact, stream);
  }
  return cudaErrorInvalidValue;
}

int launch_walsh_once(Element element, void* data, int log2_size, int shift, std::uint32_t* inexact,
                      CUstream_st* stream) {
  switch (element) {
    case Element::int32:
      return launch_once_of<std::int32_t>(data, log2_size, shift, inexact, stream);
    case Element::int64:
      return launch_once_of<std::int64_t>(data, log2_size, shift, inexact, stream);
    case Element::float32:
      return launch_once_of<float>(data, log2_size, shift, inexact, stream);
    case Element::float64:
      return launch_once_of<double>(data, log2_size, shift, inexact, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace fugu::kernels
