// Rows of boxes of 17 to 20 outputs in which few pairs share an entry.
#include "kernels/sbox/row_counting.cuh"

namespace fugu::kernels {
namespace {

constexpr unsigned kRowThreads = 1024;

// A bit per b, followed by the number of bits newly set at each level. Level 0 processes all pairs of a row,
// each other level the pairs whose bit was already set at the level before.
struct Plane {
  std::uint32_t* bits;
  std::uint32_t words;
  std::uint32_t* fresh;

  __device__ bool set(std::uint32_t b) const {
    const std::uint32_t bit = 1u << (b & 31);
    return (atomicOr(bits + (b >> 5), bit) & bit) != 0;
  }
};

// A warp's list of the pairs that the next level processes.
struct WarpList {
  std::uint32_t* values;
  std::uint32_t count;

  // Called by all lanes of the warp.
  __device__ void keep(bool kept, std::uint32_t b) {
    const std::uint32_t who = __ballot_sync(~0u, kept);
    if (kept) values[count + static_cast<std::uint32_t>(__popc(who & ((1u << threadIdx.x % 32) - 1)))] = b;
    count += static_cast<std::uint32_t>(__popc(who));
  }
};

// Processes a level. A warp reads and writes its own list in place: no lane overwrites a value that another
// has yet to read.
__device__ void next_level(const Plane& plane, WarpList& list) {
  const std::uint32_t last = list.count;
  list.count = 0;
  for (std::uint32_t first = 0; first < last; first += 32) {
    const std::uint32_t at = first + threadIdx.x % 32;
    const std::uint32_t b = at < last ? list.values[at] : 0;
    __syncwarp();
    list.keep(at < last && plane.set(b), b);
    __syncwarp();
  }
}

// Adds the counts of entries with p pairs: the number with at least p minus that with at least p + 1.
__device__ void add_fresh(const Plane& plane, std::uint64_t* counts) {
  __syncthreads();
  if (threadIdx.x < kMostSparsePairs) {
    const std::uint32_t fresh = plane.fresh[threadIdx.x];
    const std::uint32_t next = threadIdx.x + 1 < kMostSparsePairs ? plane.fresh[threadIdx.x + 1] : 0;
    if (fresh != next) add_to(counts + threadIdx.x + 1, fresh - next);
  }
  __syncthreads();
  clear(plane.fresh, kMostSparsePairs);
}

// Counts a row and returns whether no entry has more than kMostSparsePairs pairs. Thread 0 adds half
// of delta(a,0) to *zero.
__device__ bool take_row(const SparseDifferences& rows, std::uint32_t a, const Plane& plane, WarpList list,
                         std::uint32_t* zero) {
  const std::uint32_t pairs = 1u << (rows.inputs - 1);
  std::uint32_t taken = pairs >= kRowThreads ? pairs / (kRowThreads / 32) : threadIdx.x < pairs ? 32 : 0;
  *zero = 0;
  for (unsigned level = 0; level < kMostSparsePairs; ++level) {
    clear_fours(plane.bits, plane.words);
    __syncthreads();
    if (level == 0) {
      for_each_pairs<kRowThreads>(
          rows.values, threadIdx.x, pairs, a, [&]<unsigned count>(const std::uint32_t(&b)[count]) {
            bool kept[count];  // all bits are requested before the first is waited for
            FUGU_UNROLL
            for (unsigned i = 0; i < count; ++i) kept[i] = plane.set(b[i]);
            FUGU_UNROLL
            for (unsigned i = 0; i < count; ++i) list.keep(kept[i], b[i]);
          });
    } else {
      next_level(plane, list);
    }
    if (threadIdx.x % 32 == 0) atomicAdd(plane.fresh + level, taken - list.count);
    taken = list.count;
    const bool done = __syncthreads_or(taken != 0) == 0;
    if (threadIdx.x == 0) *zero += plane.bits[0] & 1;  // before it clears that word
    if (done) return true;
  }
  return false;
}

// Rows after which a block adds its 32-bit counts to the results: a row has at most 2^19 entries.
constexpr std::uint32_t kRowsPerSum = 4096;

__global__ void __launch_bounds__(kRowThreads, 1)
    sparse_differences_kernel(const __grid_constant__ SparseDifferences rows) {
  auto* const bits = &shared_of<std::uint32_t>();
  const std::uint32_t words = 1u << (rows.outputs - 5);
  const Plane plane{bits, words, bits + words};
  const std::uint64_t list_size = (std::uint64_t{1} << (rows.inputs - 1)) / (kRowThreads / 32);
  const WarpList list{
      rows.lists + (blockIdx.x * (kRowThreads / 32) + threadIdx.x / 32) * (list_size < 32 ? 32 : list_size),
      0};
  clear(plane.fresh, kMostSparsePairs);
  std::uint32_t done = 0;
  for (std::uint32_t a = rows.first + blockIdx.x; a < rows.last; a += gridDim.x) {
    std::uint32_t zero = 0;
    if (!take_row(rows, a, plane, list, &zero)) {
      *rows.crowded = 1;
      return;
    }
    if (threadIdx.x == 0) note_zero(rows, zero);
    note_lightest<kRowThreads>(rows, a);
    if (++done % kRowsPerSum == 0) add_fresh(plane, rows.counts);
  }
  add_fresh(plane, rows.counts);
}

// Blocks share a row: each counts `words` words of its counters.
struct RowPieces {
  SparseRows rows;
  std::uint32_t pieces;
  std::uint32_t words;
};

__global__ void __launch_bounds__(kRowThreads, 1) sparse_rows_kernel(const __grid_constant__ RowPieces all) {
  auto* const counters = &shared_of<std::uint32_t>();
  const SharedCounters shared(counters);
  const SparseRows& rows = all.rows;
  const std::uint32_t row_words = 1u << (rows.outputs - 3);
  const std::uint32_t items = (rows.last - rows.first) * all.pieces;
  for (std::uint32_t item = blockIdx.x; item < items; item += gridDim.x) {
    const std::uint32_t row = item / all.pieces, start = item % all.pieces * all.words;
    clear_fours(counters, all.words);
    __syncthreads();
    for_each_pair_of<kRowThreads>(rows, rows.first + row, [&](std::uint32_t b) {
      const std::uint32_t word = nibble_word(b) - start;
      shared.add_if(word < all.words, word, nibble_one(b));
    });
    if (start == 0) note_lightest<kRowThreads>(rows, rows.first + row);
    __syncthreads();
    if (start == 0 && threadIdx.x == 0) note_zero(rows, counters[0] & 15);
    const std::uint32_t left = row_words - start;
    std::uint32_t* const out = rows.nibbles + static_cast<std::uint64_t>(row) * row_words + start;
    for (std::uint32_t i = threadIdx.x; i < (left < all.words ? left : all.words); i += kRowThreads)
      out[i] = counters[i];
    __syncthreads();
  }
}

constexpr unsigned kTileWarps = kSparseThreads / kLanes;
constexpr unsigned kTilesEach = 8;  // tiles that a warp transforms one after the other

__global__ void __launch_bounds__(kSparseThreads, 4)
    sparse_tiles_kernel(const __grid_constant__ SparseTransform all) {
  __shared__ std::int32_t shared[kTileWarps * SparseTileThread::kShared];
  __shared__ std::uint32_t entries[FewPairs::kFew + 1];
  std::int32_t* const mine = shared + threadIdx.x / kLanes * SparseTileThread::kShared;
  const int high_bits = all.outputs - kSparseTileBits;
  clear(entries, FewPairs::kFew + 1);
  __syncthreads();
  FewPairs few;
  for (unsigned i = 0; i < kTilesEach; ++i) {
    const std::uint32_t number = (blockIdx.x * kTilesEach + i) * kTileWarps + threadIdx.x / kLanes;
    const std::uint64_t row = number >> high_bits;
    SparseTileThread thread(threadIdx.x % kLanes);
    thread.load(all.nibbles + (static_cast<std::uint64_t>(number) << (kSparseTileBits - 3)),
                [&](const std::uint32_t(&words)[8]) {
                  few.add(words, [&](std::uint32_t pairs) { add_to(all.counts + pairs, 1); });
                });
    __syncwarp();
    thread.put(mine);
    __syncwarp();
    thread.get(mine);
    thread.store(all.halves + (row << (all.outputs - 1)), number & ((1u << high_bits) - 1), high_bits);
  }
  add_in_warp(few, [&](std::uint32_t pairs, std::uint32_t count) { atomicAdd(entries + pairs, count); });
  __syncthreads();
  if (threadIdx.x <= FewPairs::kFew && entries[threadIdx.x] != 0)
    add_to(all.counts + threadIdx.x, entries[threadIdx.x]);
}

// A block adds up one group of columns over some rows.
template <int high_bits>
class SparseColumnBlock {
 public:
  using Thread = SparseColumnThread<high_bits>;
  static constexpr std::uint32_t kGroups = sparse_groups(high_bits);

  __device__ SparseColumnBlock(const SparseColumns& columns, std::int32_t* shared)
      : columns_(columns), shared_(shared) {}

  __device__ void run() const {
    const std::uint32_t first = columns_.first + blockIdx.x / kGroups * kSparseRowsEach;
    const std::uint32_t end = first + kSparseRowsEach;
    const std::uint32_t last = end < columns_.last ? end : columns_.last;
    Thread thread(threadIdx.x);
    const std::uint32_t lightest = __ldcg(columns_.lightest);
    const std::uint32_t near = columns_.whole <= kSparseNear ? columns_.whole - 1 : kSparseNear;
    const auto far = [&](unsigned i, std::uint32_t half) {
      atomicMax(columns_.largest + place(i), half);
      add_to(columns_.sums + place(i), std::uint64_t{half} * half);
      if (half == columns_.whole) atomicAdd(columns_.structures + place(i), 1u);
    };
    SparseSums sums;
    thread.fetch(group_of(first));
    for (std::uint32_t a = first; a < last; ++a) {
      thread.put(shared_);
      __syncthreads();
      std::int32_t halves[32];
      thread.get(shared_, halves);
      if (a + 1 < last) thread.fetch(group_of(a + 1));
      const auto weight = static_cast<std::uint32_t>(ones(a));
      if (weight < lightest && has_nonzero(halves)) atomicMin(columns_.lightest, weight);
      sums.add(halves, near, far);
      __syncthreads();
    }
    FUGU_UNROLL
    for (unsigned i = 0; i < 32; ++i) {
      if (sums.largest(i) == 0) continue;
      atomicMax(columns_.largest + place(i), sums.largest(i));
      add_to(columns_.sums + place(i), sums.squares(i));
    }
  }

 private:
  __device__ static std::uint32_t place(unsigned i) {
    return (blockIdx.x % kGroups * 32 + i) * kSparseThreads + threadIdx.x;
  }

  // Returns the words of this block's group in row a.
  __device__ const std::uint32_t* group_of(std::uint32_t a) const {
    return columns_.halves + (static_cast<std::uint64_t>(a - columns_.first) << (columns_.outputs - 1)) +
           (blockIdx.x % kGroups * Thread::kEach << high_bits);
  }

  // Returns whether an r(a,b) of this thread is not 0, b != 0.
  __device__ static bool has_nonzero(const std::int32_t (&halves)[32]) {
    std::int32_t any = place(0) == 0 ? 0 : halves[0];
    FUGU_UNROLL
    for (unsigned i = 1; i < 32; ++i) any |= halves[i];
    return any != 0;
  }

  const SparseColumns& columns_;
  std::int32_t* shared_;
};

template <int high_bits>
__global__ void __launch_bounds__(kSparseThreads, 2)
    sparse_columns_kernel(const __grid_constant__ SparseColumns columns) {
  __shared__ std::int32_t shared[SparseColumnThread<high_bits>::kShared];
  SparseColumnBlock<high_bits>(columns, shared).run();
}

template <int high_bits>
int launch_columns(const SparseColumns& columns, CUstream_st* stream) {
  const std::uint32_t parts = (columns.last - columns.first + kSparseRowsEach - 1) / kSparseRowsEach;
  sparse_columns_kernel<high_bits><<<parts * sparse_groups(high_bits), kSparseThreads, 0, stream>>>(columns);
  return cudaGetLastError();
}

// Finds the largest shared memory of a block, in words. Returns CUDA's status.
int shared_words(std::uint32_t& words) {
  int device = 0, bytes = 0;
  int status = cudaGetDevice(&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  words = static_cast<std::uint32_t>(bytes) / 4;
  return status;
}

}  // namespace

int launch_sparse_differences(const SparseDifferences& rows, CUstream_st* stream) {
  const std::uint32_t count = rows.last - rows.first;
  return launch_filling(sparse_differences_kernel, kRowThreads, sparse_plane_bytes(rows.outputs),
                        count < rows.blocks ? count : rows.blocks, rows, stream);
}

int launch_sparse_rows(const SparseRows& rows, CUstream_st* stream) {
  std::uint32_t most = 0;
  if (const int status = shared_words(most); status != cudaSuccess) return status;
  const std::uint32_t row_words = 1u << (rows.outputs - 3);
  const std::uint32_t pieces = (row_words + most - 1) / most;
  const std::uint32_t words = ((row_words + pieces - 1) / pieces + 3) & ~3u;
  return launch_filling(sparse_rows_kernel, kRowThreads, 4 * words, (rows.last - rows.first) * pieces,
                        RowPieces{rows, pieces, words}, stream);
}

int launch_sparse_transform(const SparseTransform& transform, CUstream_st* stream) {
  const std::uint32_t tiles = transform.rows << (transform.outputs - kSparseTileBits);
  sparse_tiles_kernel<<<tiles / (kTileWarps * kTilesEach), kSparseThreads, 0, stream>>>(transform);
  return cudaGetLastError();
}

int launch_sparse_columns(const SparseColumns& columns, CUstream_st* stream) {
  switch (columns.outputs) {
    case 17:
      return launch_columns<6>(columns, stream);
    case 18:
      return launch_columns<7>(columns, stream);
    case 19:
      return launch_columns<8>(columns, stream);
    case 20:
      return launch_columns<9>(columns, stream);
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace fugu::kernels
