// Character tables: the write-only kernel, and the Kronecker step of the 2012 paper's Algorithm 1.
#include "kernels/characters/characters_agent.hpp"

namespace fugu::kernels {
namespace {

struct alignas(8) Value8 {
  float re, im;
};
struct alignas(16) Value16 {
  double re, im;
};

__host__ __device__ std::size_t exponent_bytes(const CharacterTable& table) {
  return (table.run_columns * sizeof(std::uint16_t) + 15) / 16 * 16;
}

__device__ CharacterStretch stretch_of_block(std::uint64_t first_run, std::uint64_t runs,
                                             std::uint64_t stretches) {
  const std::uint64_t done = blockIdx.x % stretches * kRunsPerBlock;
  const std::uint64_t left = runs - done;
  return {blockIdx.x / stretches, first_run + done,
          static_cast<std::uint32_t>(left < kRunsPerBlock ? left : kRunsPerBlock)};
}

template <class Value>
__global__ void __launch_bounds__(kCharacterThreads)
    character_kernel(const __grid_constant__ CharacterTable table, std::uint64_t first_run,
                     std::uint64_t runs, std::uint64_t stretches, bool values_in_shared) {
  extern __shared__ __align__(16) unsigned char bytes[];
  __shared__ CharacterShared shared;
  const auto* values = static_cast<const Value*>(table.values);
  auto* exponents = reinterpret_cast<std::uint16_t*>(bytes);
  const CharacterStretch stretch = stretch_of_block(first_run, runs, stretches);
  if (values_in_shared) {
    // After the exponents, whose size is rounded up to any value's alignment.
    auto* copy = reinterpret_cast<Value*>(bytes + exponent_bytes(table));
    for (unsigned i = threadIdx.x; i < table.modulus; i += kCharacterThreads) copy[i] = values[i];
    values = copy;
  }
  character_weights(table, stretch.row, threadIdx.x, shared);
  __syncthreads();
  character_run_exponents(table, stretch, threadIdx.x, kCharacterThreads, shared, exponents);
  __syncthreads();
  character_write(table, stretch, threadIdx.x, kCharacterThreads, shared, exponents, values);
}

// Small exponents, written as whole words.
template <class Value>
__global__ void __launch_bounds__(kCharacterThreads)
    exponent_kernel(const __grid_constant__ CharacterTable table, std::uint64_t first_run, std::uint64_t runs,
                    std::uint64_t stretches) {
  extern __shared__ __align__(16) unsigned char bytes[];
  __shared__ CharacterShared shared;
  const CharacterStretch stretch = stretch_of_block(first_run, runs, stretches);
  character_weights(table, stretch.row, threadIdx.x, shared);
  __syncthreads();
  character_run_exponents(table, stretch, threadIdx.x, kCharacterThreads, shared,
                          reinterpret_cast<Value*>(bytes));
  __syncthreads();
  character_write_words(table, stretch, threadIdx.x, kCharacterThreads, shared,
                        reinterpret_cast<const Value*>(bytes));
}

// Blocks of a table, and the runs they share.
struct TableGrid {
  std::uint64_t first_run, runs, stretches;

  explicit TableGrid(const CharacterTable& table)
      : first_run(table.first_column / table.run_columns),
        runs((table.first_column + table.columns - 1) / table.run_columns + 1 - first_run),
        stretches((runs + kRunsPerBlock - 1) / kRunsPerBlock) {}
  bool possible(const CharacterTable& table) const { return stretches <= 0x7fffffffu / table.rows; }
  unsigned blocks(const CharacterTable& table) const { return static_cast<unsigned>(table.rows * stretches); }
};

template <class Value>
int launch_table_of(const CharacterTable& table, CUstream_st* stream) {
  if (table.rows == 0 || table.columns == 0) return cudaSuccess;
  const TableGrid grid(table);
  if (!grid.possible(table)) return cudaErrorInvalidConfiguration;
  const bool in_shared = table.modulus * sizeof(Value) <= kSharedValueBytes;
  const std::size_t shared = exponent_bytes(table) + (in_shared ? table.modulus * sizeof(Value) : 0);
  character_kernel<Value><<<grid.blocks(table), kCharacterThreads, shared, stream>>>(
      table, grid.first_run, grid.runs, grid.stretches, in_shared);
  return cudaGetLastError();
}

template <class Value>
int launch_exponents_of(const CharacterTable& table, CUstream_st* stream) {
  using Words = ExponentWords<Value>;
  if (table.modulus > Words::kMaxModulus || table.run_columns < Words::kLanes)
    return launch_table_of<Value>(table, stream);
  if (table.rows == 0 || table.columns == 0) return cudaSuccess;
  const TableGrid grid(table);
  if (!grid.possible(table)) return cudaErrorInvalidConfiguration;
  exponent_kernel<Value><<<grid.blocks(table), kCharacterThreads, exponent_bytes(table) + 16, stream>>>(
      table, grid.first_run, grid.runs, grid.stretches);
  return cudaGetLastError();
}

// Algorithm 1 of the paper. Thread (x, y) multiplies C_p by the element (x, y) of C_p^k. The paper has C_p in
// constant memory, which all streams of a process would share; here the read-only cache serves it.
__global__ void kronecker_kernel(const float2* __restrict__ cyclic_table, const float2* in, float2* out,
                                 std::uint32_t p, std::uint32_t side) {
  const std::uint32_t y = blockIdx.x * blockDim.x + threadIdx.x;
  const std::uint32_t x = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= side || y >= side) return;
  const std::uint64_t row = std::uint64_t{side} * p;
  const std::uint64_t start = x * row * p + std::uint64_t{y} * p;
  const float2 c = in[std::uint64_t{x} * side + y];
  for (std::uint32_t i = 0; i < p; ++i) {
    for (std::uint32_t j = 0; j < p; ++j) {
      const float2 a = __ldg(cyclic_table + i * p + j);
      out[start + i * row + j] = make_float2(c.x * a.x - c.y * a.y, c.x * a.y + c.y * a.x);
    }
  }
}

}  // namespace

int launch_character_table(const CharacterTable& table, CUstream_st* stream) {
  switch (table.value_bytes) {
    case 1:
      return launch_exponents_of<std::uint8_t>(table, stream);
    case 2:
      return launch_exponents_of<std::uint16_t>(table, stream);
    case 8:
      return launch_table_of<Value8>(table, stream);
    case 16:
      return launch_table_of<Value16>(table, stream);
    default:
      return cudaErrorInvalidValue;
  }
}

int launch_kronecker_step(const float* cyclic_table, const float* in, float* out, std::uint32_t p,
                          std::uint32_t side, CUstream_st* stream) {
  const dim3 threads(32, 8);
  const dim3 blocks((side + 31) / 32, (side + 7) / 8);
  kronecker_kernel<<<blocks, threads, 0, stream>>>(reinterpret_cast<const float2*>(cyclic_table),
                                                   reinterpret_cast<const float2*>(in),
                                                   reinterpret_cast<float2*>(out), p, side);
  return cudaGetLastError();
}

}  // namespace fugu::kernels
